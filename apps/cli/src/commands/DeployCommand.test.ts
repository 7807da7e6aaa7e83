import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import { Effect } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

/** A component of three files that emits the total of an order. */
const orders = {
  "source.ts": `
    import currency from "./lib/currency.json"
    import { type Order, total } from "./lib/total.js"

    export default {
      name: "Orders",
      props: { http: "$.interface.http" },
      run(this: any, event: { body: Order }) {
        this.$emit({ total: total(event.body), currency })
      }
    }`,
  "lib/total.ts": `
    export interface Order { readonly lines: ReadonlyArray<number> }
    export const total = (order: Order): number => order.lines.reduce((sum, line) => sum + line, 0)`,
  "lib/currency.json": "\"EUR\""
}

const post = (url: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  )

const payload = (event: Json.Json | undefined): unknown => event!["event"]!["raw_event"]

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater deploy", (it) => {
  it.effect("makes a source of a folder of files, and gives it their new code", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* Files.make(orders)
      const created = HeadwaterCommand.jsonOf(yield* headwater(folder, "deploy", ".", "--json"))
      Json.assertHolds(created, { name: "Orders", name_slug: "orders", active: true, new: true })
      const id = Json.textOf(created["id"])
      const endpoint = Json.textOf(created["endpoint_url"])
      yield* post(endpoint, { lines: [1, 2] })
      assert.deepStrictEqual(payload((yield* events(id, 1))[0]), { total: 3, currency: "EUR" })

      yield* Files.write(folder, { "lib/currency.json": "\"CHF\"" })
      const updated = yield* headwater(folder, "deploy", "source.ts")
      assert.deepStrictEqual([updated.code, updated.stderr], [0, ""])
      assert.match(updated.stdout, new RegExp(`^Updated +${id}\nName +Orders\nSlug +orders\nEndpoint +${endpoint}\n$`))
      yield* post(endpoint, { lines: [4] })
      assert.deepStrictEqual(payload((yield* events(id, 2))[0]), { total: 4, currency: "CHF" })
    }), HeadwaterCommand.patienceMs)

  it.effect("takes values of props by their types, and names those that miss", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const folder = yield* Files.make({
        "shop.mjs": `export default {
          props: {
            shop: "string",
            token: { type: "string", secret: true },
            pages: { type: "integer", default: 1 },
            tags: { type: "string[]", optional: true },
            timer: "$.interface.timer"
          },
          run() {}
        }`
      })
      const deploy = (...args: ReadonlyArray<string>) => headwater(folder, "deploy", "shop.mjs", ...args)
      HeadwaterCommand.assertRefused(
        yield* deploy("--prop", "token=a"),
        /\bshop, timer: give --prop shop=… --prop timer=/
      )
      const typed = ["--prop", "pages=7", "--prop", "tags=[\"a\"]", "--prop", "timer={\"cron\": \"0 9 * * *\"}"]
      const created = HeadwaterCommand.jsonOf(
        yield* deploy("--json", "--prop", "shop=12", "--prop", "token=a=b", ...typed)
      )
      assert.deepStrictEqual<unknown>(created["configured_props"], {
        shop: "12",
        pages: 7,
        tags: ["a"],
        timer: { cron: "0 9 * * *", interval_seconds: null, timezone: "UTC" }
      })
      Json.assertHolds(created, { name: "shop", new: true, endpoint_url: null })
      const kept = HeadwaterCommand.jsonOf(yield* deploy("--json", "--prop", "pages=8"))
      Json.assertHolds(kept, { id: created["id"], new: false })
      Json.assertHolds(kept["configured_props"], { shop: "12", pages: 8, tags: ["a"] })
      HeadwaterCommand.assertRefused(
        yield* deploy("--prop", "pages=many"),
        /--prop pages: expected JSON of the type integer/
      )
      HeadwaterCommand.assertRefused(yield* deploy("--prop", "page=2"), /page: the component has no such prop/)
    }), HeadwaterCommand.patienceMs)

  it.effect("gives a new source the state that it begins with, and no other", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* Files.make({
        "feed.mjs": `export default {
          name: "Begun feed", dedupe: "unique", props: { http: "$.interface.http", db: "$.service.db" },
          run(event) { for (const id of [1, 2, 3]) this.$emit([id, this.db.get("since")], { id }) }
        }`,
        "state.json": "{\"db\": {\"since\": 7}, \"emitted_ids\": [1, 2]}",
        "wrong.json": "{\"emitted\": [1]}"
      })
      const deploy = (file: string) => headwater(folder, "deploy", "feed.mjs", "--json", "--initial-state", file)
      HeadwaterCommand.assertRefused(yield* deploy("wrong.json"), /wrong\.json: .*emitted/s)
      HeadwaterCommand.assertRefused(yield* deploy("none.json"), /none\.json/)
      const made = HeadwaterCommand.jsonOf(yield* deploy("state.json"))
      yield* Effect.promise(() => fetch(Json.textOf(made["endpoint_url"]), { method: "POST" }))
      const [event, ...others] = yield* events(Json.textOf(made["id"]), 1)
      assert.deepStrictEqual<unknown>([event!["event"]!["raw_event"], others], [[3, 7], []])
      HeadwaterCommand.assertRefused(yield* deploy("state.json"), /already a source "Begun feed"/)
    }), HeadwaterCommand.patienceMs)

  it.effect("tells where in the user's own files the fault is", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const folder = yield* Files.make({
        "missing.ts": "import fs from \"node:fs\"\nimport { a } from \"./lib/a.ts\"\nexport default { a, fs }",
        "loading.ts": "import { fail } from \"./lib/fail.ts\"\nfail()\nexport default {}",
        "hook.ts":
          "import { fail } from \"./lib/fail.ts\"\nexport default { hooks: { deploy: () => fail() }, run() {} }",
        "alone.mjs": "export default {}\nthrow new Error(\"no network\")",
        "lib/fail.ts": "interface Order {\n  total: number\n}\nexport const fail = (order?: Order): never => {\n" +
          "  throw new Error(\"no orders\")\n}"
      })
      const refusals: ReadonlyArray<readonly [file: string, reason: RegExp]> = [
        ["missing.ts", /: missing\.ts:2:19: There is no file "\.\/lib\/a\.ts"/],
        ["loading.ts", /: lib\/fail\.ts:5:9: Error: no orders/],
        ["hook.ts", /: lib\/fail\.ts:5:9: The deploy hook failed: no orders/],
        ["alone.mjs", /: alone\.mjs:2:7: Error: no network/],
        [
          ".",
          /names no module in a package\.json .* has none of index, source, component, workflow, \S+ with \.mjs, \.js/
        ],
        ["gone.ts", /There is no file or folder gone\.ts/],
        ["no-such-key", /"no-such-key" is not a file, a folder, or the key of a component in the registry/]
      ]
      for (const [file, reason] of refusals) {
        HeadwaterCommand.assertRefused(yield* headwater(folder, "deploy", file), reason)
      }
    }), HeadwaterCommand.patienceMs)

  it.effect(
    "takes the source of the name that is given, or of the slug, and refuses to choose",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const folder = yield* Files.make({ "a.mjs": "export default { name: \"Twin\", run() {} }" })
        const deploy = (...args: ReadonlyArray<string>) =>
          Effect.map(headwater(folder, "deploy", "a.mjs", "--json", ...args), HeadwaterCommand.jsonOf)
        const first = yield* deploy()
        const { data: second } = yield* server.api("POST", "/sources", {
          component_id: first["component_id"],
          name: "Twin"
        })
        HeadwaterCommand.assertRefused(
          yield* headwater(folder, "deploy", "a.mjs"),
          /Several sources have the name "Twin".*: --name twin-2, --name twin$/m
        )
        Json.assertHolds(yield* deploy("--name", "twin-2"), { id: second!["id"], name: "Twin", new: false })
        Json.assertHolds(yield* deploy("--name", "Other"), { name: "Other", name_slug: "other", new: true })
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "leaves a source alone that has the name and runs another component, unless it is named",
    () =>
      Effect.gen(function*() {
        const { headwater } = yield* RunningServer
        const folder = yield* Files.make({
          "a.mjs": "export default { name: \"New Item\", key: \"shop-new-item\", run() {} }",
          "b.mjs": "export default { name: \"New Item\", key: \"feed-new-item\", run() {} }",
          "c.mjs": "export default { name: \"New Item\", run() {} }"
        })
        const deploy = (...args: ReadonlyArray<string>) => headwater(folder, "deploy", ...args)
        const first = HeadwaterCommand.jsonOf(yield* deploy("a.mjs", "--json"))
        for (const [file, key] of [["b.mjs", "\"feed-new-item\""], ["c.mjs", "none"]] as const) {
          HeadwaterCommand.assertRefused(
            yield* deploy(file),
            new RegExp(
              `"New Item" \\(${
                first["id"]
              }\\) runs another component \\(its key is "shop-new-item", this one's is ${key}\\). ` +
                "Give --name new-item to"
            )
          )
        }
        Json.assertHolds(HeadwaterCommand.jsonOf(yield* deploy("a.mjs", "--json")), { id: first["id"], new: false })
        const beside = HeadwaterCommand.jsonOf(yield* deploy("b.mjs", "--name", "Feed", "--json"))
        Json.assertHolds(beside, { name: "Feed", new: true })
        const replaced = HeadwaterCommand.jsonOf(yield* deploy("b.mjs", "--name", "new-item", "--json"))
        Json.assertHolds(replaced, { id: first["id"], new: false })
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect("takes a component by URL, and one of the registry by key", () =>
    Effect.gen(function*() {
      const { headwater, server } = yield* RunningServer
      const modules = yield* ModuleServer.make({ "/a.mjs": "export default { name: \"By URL\", run() {} }" })
      const deploy = (what: string, ...args: ReadonlyArray<string>) =>
        Effect.map(headwater("/", "deploy", what, "--json", ...args), HeadwaterCommand.jsonOf)
      Json.assertHolds(yield* deploy(`${modules.origin}/a.mjs`), { name: "By URL", new: true })
      const byKey = yield* deploy("headwater-schedule", "--prop", "timer={\"intervalSeconds\": 600}")
      const { data } = yield* server.api("GET", "/components/registry/headwater-schedule")
      Json.assertHolds(byKey, { component_id: data!["id"], name: "Schedule", new: true })
    }), HeadwaterCommand.patienceMs)

  it.effect("makes a workflow of what is said to be one, and gives it its new code", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const folder = yield* Files.make({
        "orders.ts": `
          import { total } from "./lib/total.js"
          export default {
            props: { limit: "integer" },
            steps: { sum: { props: { code: "string" }, run({ steps }) { return total(steps.trigger.event) } } }
          }`,
        "lib/total.ts": orders["lib/total.ts"],
        "bad.mjs": "export default {\n  steps: {}\n}\n",
        "lib/fail.ts": "export const a: number = 1\nthrow new Error(\"no orders\")",
        "fails.ts": "import { a } from \"./lib/fail.ts\"\nexport default { run: () => a }"
      })
      const deploy = (...args: ReadonlyArray<string>) => headwater(folder, "deploy", ...args, "--workflow")
      HeadwaterCommand.assertRefused(
        yield* deploy("orders.ts"),
        /orders needs a value for limit, sum\.code: give --prop limit=… --prop sum\.code=…/
      )
      const props = ["--prop", "limit=5", "--prop", "sum.code=\"12\""]
      const created = HeadwaterCommand.jsonOf(yield* deploy("orders.ts", ...props, "--json"))
      Json.assertHolds(created, { name: "orders", new: true, endpoint_url: null })
      assert.match(Json.textOf(created["id"]), /^p_/)
      assert.deepStrictEqual<unknown>(created["configured_props"], { limit: 5, "sum.code": "12" })
      yield* Files.write(folder, { "lib/total.ts": "export const total = () => 0" })
      const updated = HeadwaterCommand.jsonOf(yield* deploy("orders.ts", "--json"))
      Json.assertHolds(updated, { id: created["id"], new: false })
      assert.notStrictEqual(updated["deployment_id"], created["deployment_id"])

      HeadwaterCommand.assertRefused(yield* deploy("bad.mjs"), /: bad\.mjs:2:3: .*one step/)
      HeadwaterCommand.assertRefused(yield* deploy("fails.ts"), /: lib\/fail\.ts:2:7: Error: no orders/)
      HeadwaterCommand.assertRefused(yield* deploy("headwater-schedule"), /the registry has no workflows/)
      HeadwaterCommand.assertRefused(yield* deploy("orders.ts", "--prop", "other=1"), /other: .*no such prop/)
    }), HeadwaterCommand.patienceMs)
})
