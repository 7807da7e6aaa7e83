import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const greeter = {
  "greeter.ts": `import { greeting } from "./lib/greeting.ts"

export default {
  name: "Greeter",
  props: { http: "$.interface.http" },
  hooks: { deploy(this: any) { this.$emit("deployed") } },
  run(this: any, { body }: { body: string }) {
    console.log("greets", body)
    this.$emit(greeting(body))
  }
}`,
  "lib/greeting.ts": "export const greeting = (name: string) => `Hello, ${name}`"
}

const post = (url: string, body: string) =>
  Effect.promise(() => fetch(url, { method: "POST", headers: { "content-type": "text/plain" }, body }))

const dev = Effect.fnUntraced(function*(folder: string, ...args: ReadonlyArray<string>) {
  const { environment } = yield* RunningServer
  return yield* HeadwaterCommand.start(["dev", ...args], environment, folder)
})

const till = {
  "till/workflow.ts": `import { check } from "./check.ts"

export default {
  steps: {
    wait: {
      run({ steps, $ }: any) {
        console.log("sees", steps.trigger.event)
        if (steps.trigger.event === "slow") $.flow.delay(3_000)
      }
    },
    check: {
      run({ steps, $ }: any) { $.emit(check(steps.trigger.event)); $.flow.exit("sold") }
    }
  }
}`,
  "till/check.ts": "export const check = (order: string) => `Took ${order}`"
}

const sources = Effect.flatMap(RunningServer, ({ server }) => server.api("GET", "/users/me/sources"))

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater dev", (it) => {
  it.effect(
    "deploys on every save, and shows events, logs, and errors in the user's own lines",
    () =>
      Effect.gen(function*() {
        const folder = yield* Files.make(greeter)
        const { interrupt, output, printed } = yield* dev(folder, "greeter.ts")
        const [, id = ""] = yield* printed(/^Created +(dc_\w+)$/m)
        const [, endpoint = ""] = yield* printed(/^Endpoint +(http.*)$/m)
        yield* printed(/ event +"deployed"$/m)
        yield* printed(/ watching +greeter\.ts /)
        yield* post(endpoint, "Ann")
        yield* printed(/ event +"Hello, Ann"$/m)
        yield* printed(/ info +greets Ann$/m)

        yield* Files.write(folder, { "lib/greeting.ts": "export const greeting = (name: string) => `Bye, ${" })
        yield* printed(/ failed +lib\/greeting\.ts:1:\d+: /)
        // As many editors save: another file takes the place of the old one.
        yield* Files.write(folder, {
          "lib/new":
            "interface Name {}\n\nexport const greeting = (name: string & Name) => {\n  throw new TypeError(name)\n}"
        })
        yield* Effect.promise(() => Fs.rename(Path.join(folder, "lib/new"), Path.join(folder, "lib/greeting.ts")))
        yield* printed(/ deployed +Greeter$/m)
        yield* post(endpoint, "Bob")
        yield* printed(/ error +TypeError: Bob\n +at greeting \(lib\/greeting\.ts:4:9\)\n +at .*greeter\.ts:9:16/)

        yield* interrupt
        assert.match(output(), new RegExp(`\nGreeter \\(${id}\\) stays in service\\.\n$`))
        assert.include(JSON.stringify(yield* sources), id)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "waits for a file that misses, and shows no event twice where its server comes back",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const folder = yield* Files.make({ "greeter.ts": greeter["greeter.ts"] })
        const { interrupt, output, printed } = yield* dev(folder, "greeter.ts", "--name", "Late", "--rm")
        yield* printed(/ failed +greeter\.ts:1:26: There is no file "\.\/lib\/greeting\.ts"$/m)
        yield* printed(/ watching /)
        yield* Files.write(folder, greeter)
        const [, id = ""] = yield* printed(/^Created +(dc_\w+)\nName +Late$/m)
        const [, endpoint = ""] = yield* printed(/^Endpoint +(http.*)$/m)
        yield* post(endpoint, "Ann")
        yield* printed(/ event +"Hello, Ann"$/m)

        yield* server.kill
        yield* printed(/ lost +/)
        yield* server.start
        yield* post(endpoint, "Bob")
        yield* printed(/ event +"Hello, Bob"$/m)
        assert.strictEqual(output().match(/Hello, Ann/g)?.length, 1)
        assert.notMatch(output(), /decode/i)

        yield* interrupt
        assert.match(output(), new RegExp(`\nDeleted Late \\(${id}\\)\\.\n$`))
        assert.notInclude(JSON.stringify(yield* sources), id)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "deploys, once its server is back, what was saved while it was away",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const folder = yield* Files.make(greeter)
        const { interrupt, output, printed } = yield* dev(folder, "greeter.ts", "--name", "Away", "--rm")
        const [, endpoint = ""] = yield* printed(/^Endpoint +(http.*)$/m)
        yield* printed(/ watching /)
        yield* server.kill
        yield* Files.write(folder, { "lib/greeting.ts": "export const greeting = (name: string) => `Hi, ${name}`" })
        yield* printed(/ failed +.* can't be reached: .*\. Trying again$/m)
        yield* server.start
        yield* printed(/ deployed +Away$/m)
        assert.strictEqual(output().match(/ failed /g)?.length, 1)
        yield* post(endpoint, "Ann")
        yield* printed(/ event +"Hi, Ann"$/m)
        yield* interrupt
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "shows what a workflow emits and prints, how its runs end, and which step failed",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const folder = yield* Files.make(till)
        const { interrupt, output, printed } = yield* dev(folder, "till")
        const [, id = ""] = yield* printed(/^Created +(p_\w+)\nName +till$/m)
        yield* printed(/ watching +till\/workflow\.ts /)
        const invoke = Effect.fnUntraced(function*(event: string) {
          const { data } = yield* server.api("POST", `/workflows/${id}/invocations`, { event })
          return Json.textOf(data!["id"])
        })
        const [slow, quick] = [yield* invoke("slow"), yield* invoke("quick")]
        yield* printed(/ info +sees slow$/m)
        yield* printed(/ event +"Took quick"$/m)
        yield* printed(new RegExp(` run +${quick}  success: sold$`, "m"))

        yield* Files.write(folder, {
          "till/check.ts":
            "interface Order {}\n\nexport const check = (order: string & Order) => {\n  throw new TypeError(order)\n}"
        })
        yield* printed(/ deployed +till$/m)
        const bad = yield* invoke("bad")
        yield* printed(/ error +TypeError: bad\n +at check \(till\/check\.ts:4:9\)\n +at .*till\/workflow\.ts:12:39/)
        yield* printed(new RegExp(` run +${bad}  error at check: bad$`, "m"))
        // On the code that it began with.
        yield* printed(/ event +"Took slow"$/m)
        yield* printed(new RegExp(` run +${slow}  success: sold$`, "m"))

        yield* interrupt
        for (const run of [slow, quick, bad]) assert.strictEqual(output().split(run).length, 2)
        assert.match(output(), new RegExp(`\ntill \\(${id}\\) stays in service\\.\n$`))
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "goes on with the workflow that is there, shows of its runs those that end from then on, and deletes it if asked to",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const folder = yield* Files.make({
          "twice.mjs": `export default {
  async run({ steps, $ }) {
    const { until } = steps.trigger.event
    if (until === undefined) $.flow.rerun(0, null, 1)
    else if ((await fetch(until)).status !== 200) $.flow.rerun(500, null, 1000)
  }
}`
        })
        const deployed = HeadwaterCommand.jsonOf(
          yield* headwater(folder, "deploy", "twice.mjs", "--workflow", "--json")
        )
        const id = Json.textOf(deployed["id"])
        let mayEnd = false
        const sink = yield* WebhookSink.make(() => ({ status: mayEnd ? 200 : 503 }))
        const invoke = Effect.fnUntraced(function*(event: { readonly until?: string }) {
          const { data } = yield* server.api("POST", `/workflows/${id}/invocations`, { event })
          return Json.textOf(data!["id"])
        })
        const before = yield* invoke({})
        yield* server.api("GET", `/workflows/${id}/runs?status=success`).pipe(
          Effect.repeat({
            until: ({ data }) => Json.listOf(data).some(({ id }) => Json.textOf(id) === before),
            schedule: Schedule.spaced("50 millis")
          })
        )
        const waiting = yield* invoke({ until: sink.url })
        const { interrupt, output, printed } = yield* dev(folder, "twice.mjs", "--workflow", "--rm")
        yield* printed(new RegExp(`^Updated +${id}$`, "m"))
        const later = yield* Effect.replicateEffect(invoke({}), 101)
        yield* printed(new RegExp(` run +${later[100]}  success$`, "m"))
        yield* server.kill
        yield* printed(/ lost +/)
        yield* server.start
        mayEnd = true
        yield* printed(new RegExp(` run +${waiting}  success$`, "m"))
        const shown = [...output().matchAll(/ run +(run_\w+) /g)].map(([, run]) => run)
        assert.deepStrictEqual(shown.toSorted(), [...later, waiting].toSorted())

        yield* interrupt
        assert.match(output(), new RegExp(`\nDeleted twice \\(${id}\\)\\.\n$`))
        assert.notInclude(JSON.stringify(yield* server.api("GET", "/users/me/workflows")), id)
      }),
    HeadwaterCommand.patienceMs
  )
})
