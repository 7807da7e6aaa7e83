import { assert, describe, it } from "@effect/vitest"
import { slowly } from "@headwater/fixtures/PythonSteps"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Headwater, HeadwaterTest, recorded, stable } from "./Headwater.ts"

const hour = 3_600

/** Asks somebody's API each hour and emits what it answers. */
const polling = (url: string) => ({
  code: `export default {
    props: { timer: { type: "$.interface.timer", default: { intervalSeconds: ${hour} } } },
    async run() {
      const response = await fetch(${JSON.stringify(url)}, { headers: { authorization: "Bearer t0ken" } })
      this.$emit(await response.json(), { id: "x" })
    }
  }`
})

const emitting = {
  code: `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event.body) } }`
}

const start = () => Headwater.start({ at: "2026-01-01T00:00:00Z" })

const rejection = (promise: Promise<unknown>) => promise.then(() => "nothing", (error: unknown) => String(error))

describe("Headwater", () => {
  test("gives each source's requests to its own handler, by HTTP and HTTPS, and nothing else a way out", async () => {
    await using hw = await start()
    const [one, other, none] = [
      await hw.source(polling("https://api.example.com/v1?page=1"), { fetch: () => Response.json({ from: "one" }) }),
      await hw.source(polling("http://api.example.com/v1"), { fetch: () => Response.json({ from: "other" }) }),
      await hw.source(polling("https://api.example.com/v1"))
    ]
    await hw.advance("90 minutes")
    assert.deepStrictEqual((await one.events()).map(({ data }) => data), [{ from: "one" }])
    assert.deepStrictEqual((await other.events()).map(({ data }) => data), [{ from: "other" }])
    assert.deepStrictEqual(one.requests.map(({ at, method, url }) => [at, method, url]), [
      ["2026-01-01T01:00:00.000Z", "GET", "https://api.example.com/v1?page=1"]
    ])
    assert.strictEqual(one.requests[0]?.headers["authorization"], "Bearer t0ken")
    const [error] = await none.errors()
    assert.match(error?.message ?? "", /Nothing plays api\.example\.com in this test/)
  })

  test("has a run wait until somebody resumes it by its URL, over a crash, or gives it up", async () => {
    await using hw = await start()
    const workflow = await hw.workflow({
      code: `export default { steps: {
        ask: { run({ steps, $ }) { $.emit($.flow.suspend(20 * 60_000)) } },
        tell: { run({ steps, $ }) { $.emit([new Date().toISOString(), steps.ask.$resume_data.body]) } }
      } }`
    })
    const runs = [await workflow.trigger(), await workflow.trigger(), await workflow.trigger()]
    const urls = (await workflow.events()).map(({ data }) => data.resume_url)
    await hw.advance("15 minutes")
    await hw.crash()
    const answer = await hw.fetch(urls[0], { method: "PUT", body: "yes" })
    assert.deepStrictEqual([answer.status, await answer.json()], [200, { run_id: runs[0], status: "resumed" }])
    await workflow.resume(runs[1]!, { approved: true })
    assert.strictEqual((await workflow.run(runs[2]!)).waitsFor, "suspend")
    await hw.advance("5 minutes")
    assert.strictEqual((await hw.fetch(urls[2])).status, 404)
    assert.deepStrictEqual((await workflow.events()).slice(3).map(({ data }) => data), [
      ["2026-01-01T00:15:00.000Z", "yes"],
      ["2026-01-01T00:15:00.000Z", { approved: true }]
    ])
    assert.sameMembers((await workflow.runs()).map(({ status }) => status), ["success", "success", "cancelled"])
  })

  test("does what falls due within one step in its order, each at its time", async () => {
    await using hw = await start()
    const ticking = (seconds: number) => ({
      code: `export default {
        props: { timer: { type: "$.interface.timer", default: { intervalSeconds: ${seconds} } } },
        run() { this.$emit(new Date().toISOString()) }
      }`
    })
    const listening = { code: "export default { props: { db: '$.service.db' } }" }
    const [often, seldom, listener] = [
      await hw.source(ticking(20)),
      await hw.source(ticking(30)),
      await hw.source(listening)
    ]
    await hw.subscribe(often, listener)
    await hw.subscribe(seldom, listener)
    await hw.advance("1 minute")
    const heard = await listener.events()
    assert.deepStrictEqual(heard.map(({ at }) => at.slice(17, 19)), ["20", "30", "40", "00", "00"])
    assert.deepStrictEqual(heard.map(({ at }) => at), heard.map(({ data }) => data))
  })

  test("has environment variables, and evaluates expressions in the props of steps", async () => {
    await using hw = await Headwater.start({ env: { SHOP: "https://shop.example" } })
    const workflow = await hw.workflow({
      code: `export default { steps: { tell: {
        props: { url: "string", total: "integer" },
        run({ $ }) { $.emit([this.url, this.total, process.env.SHOP]) }
      } } }`
    }, {
      props: { "tell.url": "{{ process.env.SHOP }}/{{ steps.trigger.event.order }}", "tell.total": "{{ 40 + 2 }}" }
    })
    await workflow.trigger({ order: 17 })
    assert.deepStrictEqual((await workflow.events()).map(({ data }) => data), [
      ["https://shop.example/17", 42, "https://shop.example"]
    ])
  })

  test("runs steps in Python at the test's time, whose requests its handler answers", async () => {
    await using hw = await start()
    const folder = Fs.mkdtempSync(join(tmpdir(), "headwater-steps-"))
    try {
      const file = join(folder, "order.py")
      Fs.writeFileSync(
        file,
        `import datetime
import requests
def handler(pd):
    customer = requests.get("https://api.example.com/customers", params={"id": pd.steps["trigger"]["event"]["id"]}).json()
    pd.emit([customer["name"], datetime.datetime.now().isoformat()])
`
      )
      const workflow = await hw.workflow(file, {
        fetch: (request) => Response.json({ name: new URL(request.url).searchParams.get("id") })
      })
      await workflow.trigger({ id: "Ann" })
      assert.deepStrictEqual((await workflow.events()).map(({ data }) => data), [["Ann", "2026-01-01T00:00:00"]])
    } finally {
      Fs.rmSync(folder, { recursive: true })
    }
  }, slowly)

  test("fails the test with what a handler throws", async () => {
    await using hw = await start()
    await hw.source(polling("https://api.example.com"), {
      fetch: () => {
        throw new Error("a page that no one should ask for")
      }
    })
    assert.match(await rejection(hw.advance("1 hour")), /a page that no one should ask for/)
  })

  test("tells what the server refuses", async () => {
    await using hw = await start()
    assert.match(
      await rejection(hw.source({ code: "export default { props: { city: 'string' } }" })),
      /^Refused: configured_props.city: is required$/
    )
  })

  test("runs no step again that was committed before a crash, and one again that was not", async () => {
    await using hw = await start()
    const asked: Array<string> = []
    const workflow = await hw.workflow({
      code: `export default { steps: {
        first: { run: () => fetch("https://a.example.com").then((_) => _.text()) },
        second: { run: () => fetch("https://b.example.com").then((_) => _.text()) }
      } }`
    }, {
      fetch: ({ url }) => {
        asked.push(new URL(url).host[0]!)
        return new Response("fine")
      }
    })
    await hw.crash({ point: "step-done" })
    await workflow.trigger()
    assert.deepStrictEqual(asked, ["a", "b"])
    await hw.crash({ point: "step-ended" })
    await workflow.trigger()
    assert.deepStrictEqual(asked, ["a", "b", "a", "a", "b"])
    assert.deepStrictEqual((await workflow.runs()).map(({ status }) => status), ["success", "success"])
  })

  test("has a webhook get an event again whose answer was lost in a crash", async () => {
    await using hw = await start()
    const source = await hw.source(emitting)
    const webhook = await hw.webhook(source)
    await hw.crash({ point: "send-answered" })
    await source.request({ json: { order: 17 } })
    assert.deepStrictEqual(webhook.received.map(({ body }) => body), [{ order: 17 }, { order: 17 }])
    assert.strictEqual(new Set(webhook.received.map(({ id }) => id)).size, 1)
  })

  test("lets its process end after an engine was cut off in the middle of what it did", async () => {
    const code = `
      import { Headwater } from ${JSON.stringify(new URL("./Headwater.ts", import.meta.url).href)}
      await using hw = await Headwater.start({ at: "2026-01-01T00:00:00Z" })
      const source = await hw.source(${JSON.stringify(emitting)})
      const webhook = await hw.webhook(source)
      for (const point of ["run-ended", "commit-done", "send-answered"]) {
        await hw.crash({ point })
        await source.request({ json: { point } }).catch(() => {})
      }
      console.log(webhook.received.length)`
    const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      encoding: "utf8",
      timeout: 60_000
    })
    assert.deepStrictEqual([status, stdout], [0, "4\n"])
  })

  test("refuses a time that is over, and a crash point that there is not", async () => {
    await using hw = await start()
    assert.match(await rejection(hw.advanceTo("2025-12-31")), /stands at 2026-01-01T.* goes forward only/)
    assert.match(await rejection(hw.crash({ point: "step-doen" as never })), /no crash point "step-doen".* step-done,/)
    await hw.advanceTo("2026-01-01T00:00:00Z")
  })

  test("has a snapshot the same each time", async () => {
    const take = async () => {
      await using hw = await start()
      const source = await hw.source(emitting)
      const webhook = await hw.webhook(source)
      await source.request({ json: { order: 17 } })
      const { body, id } = webhook.received[0]!
      return stable({ source: source.id, again: [source.id, webhook.id], events: await source.events(), body, id })
    }
    const taken = await take()
    assert.deepStrictEqual(await take(), taken)
    expect(taken).toEqual({
      source: "<dc 1>",
      again: ["<dc 1>", "<wh 1>"],
      events: [{ eventId: "<event 1>", at: "2026-01-01T00:00:00.000Z", data: { order: 17 } }],
      body: { order: 17 },
      id: "<emit 1>"
    })
  })

  it.live("records what real servers answer without secrets, and answers out of the file", () =>
    Effect.scoped(Effect.gen(function*() {
      const file = join(yield* TemporaryDirectory.make("recording"), "api.json")
      const play = async (record: boolean) => {
        await using hw = await start()
        let count = 0
        const source = await hw.source(polling("https://api.example.com/v1?api_key=k3y&of=t0ken"), {
          fetch: recorded(file, {
            record,
            secrets: { token: "t0ken" },
            fetch: () =>
              Response.json({ count: ++count, echoed: "t0ken" }, {
                headers: { "set-cookie": "a=b", "x-auth-token": "s" }
              })
          })
        })
        await hw.advance("3 hours")
        return (await source.events()).map(({ data }) => data)
      }
      const real = yield* Effect.promise(() => play(true))
      assert.deepStrictEqual(real.map(({ count }) => count), [1, 2, 3])
      const text = Fs.readFileSync(file, "utf8")
      for (const secret of ["t0ken", "k3y", "a=b", "x-auth"]) assert.notInclude(text, secret)
      assert.include(text, "https://api.example.com/v1?api_key=<hidden>&of=<token>")
      Fs.writeFileSync(file, text.replace(`"count": 2`, `"count": 22`))
      const replayed = yield* Effect.promise(() => play(false))
      assert.deepStrictEqual(replayed.map(({ count, echoed }) => [count, echoed]), [[1, "<token>"], [22, "<token>"], [
        3,
        "<token>"
      ]])
    })))

  it.effect("is a layer with a clock of its own", () =>
    Effect.gen(function*() {
      const hw = yield* HeadwaterTest
      const source = yield* hw.source(emitting)
      yield* source.request({ json: { order: 17 } })
      assert.strictEqual((yield* source.events()).length, 1)
      const webhook = yield* hw.webhook(source)
      yield* source.request({ json: { order: 18 } })
      assert.deepStrictEqual(webhook.received.map(({ body }) => body), [{ order: 18 }])
    }).pipe(Effect.provide(Headwater.layerTest({ at: "2026-01-01T00:00:00Z" }))))

  test("leaves nothing behind when its process ends", () => {
    const script = `
      import { Headwater } from ${JSON.stringify(new URL("Headwater.ts", import.meta.url).href)}
      const hw = await Headwater.start()
      const { readdirSync, existsSync } = await import("node:fs")
      const folders = ["/dev/shm", "/tmp"].filter((folder) => existsSync(folder))
        .flatMap((folder) => readdirSync(folder).map((name) => folder + "/" + name))
      console.log(folders.find((path) => path.includes("headwater-testing-" + process.pid + "-")))
      await hw.close()`
    const folder = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }).trim()
    assert.include(folder, "headwater-testing-")
    assert.isFalse(Fs.existsSync(folder))
  })
})
