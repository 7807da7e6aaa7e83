import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerProcess from "../../../test/ServerProcess.ts"
import * as Files from "../test/Files.ts"
import * as HeadwaterCommand from "../test/HeadwaterCommand.ts"
import { RunningServer } from "../test/RunningServer.ts"

const ordersCode = `export default {
  name: "Orders",
  key: "orders",
  version: "0.1.0",
  props: {
    http: "$.interface.http",
    timer: "$.interface.timer",
    shop: { type: "app", app: "shop" },
    region: { type: "string", default: "north" },
    token: { type: "string", secret: true }
  },
  run(event) { this.$emit(event.body) }
}
`

const filesOf = (folder: string) =>
  Effect.promise(async () => {
    const names = await Fs.readdir(folder, { recursive: true, withFileTypes: true })
    const files = names.filter((entry) => entry.isFile()).map((entry) =>
      Path.relative(folder, Path.join(entry.parentPath, entry.name))
    ).sort()
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await Fs.readFile(Path.join(folder, file), "utf8")] as const))
    )
  })

const withoutIds = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).filter(([file]) => file !== "ids.json"))

const edit = (folder: string, file: string, change: (value: Record<string, object>) => unknown) =>
  Effect.promise(async () => {
    const path = Path.join(folder, file)
    await Fs.writeFile(path, JSON.stringify(change(JSON.parse(await Fs.readFile(path, "utf8")))))
  })

const secrets = {
  HEADWATER_SECRET_ACCOUNTS_SHOP_NORTH_CREDENTIALS: "{\"token\": \"t\"}",
  HEADWATER_SECRET_SOURCES_ORDERS_TOKEN: "0123",
  HEADWATER_SECRET_WEBHOOKS_WAREHOUSE_AUTHORIZATION: "Bearer s3cret"
}

/** The server publishes its components once it is up. */
const untilPublished = (server: ServerProcess.ServerProcess) =>
  Effect.retry(server.api("GET", "/components/registry/headwater-schedule"), {
    schedule: Schedule.spaced("100 millis"),
    times: 200
  })

/** An account with some of everything. */
const fill = Effect.gen(function*() {
  const { server } = yield* RunningServer
  yield* untilPublished(server)
  const post = (path: string, body: unknown) =>
    Effect.map(server.api("POST", path, body), ({ data }) => Json.textOf(data!["id"]))
  const shop = yield* post("/accounts", { app: "shop", name: "North", credentials: { token: "t" } })
  const webhook = yield* post("/webhooks", {
    url: "https://warehouse.example.com/orders",
    name: "Warehouse",
    ordering: "strict",
    rate_limit: { limit: 10, interval_seconds: 1 },
    secret_headers: { authorization: "Bearer s3cret" }
  })
  const orders = yield* post("/sources", {
    component_code: ordersCode,
    configured_props: {
      shop: { authProvisionId: shop },
      token: "0123",
      timer: { cron: "0 9 * * *", timezone: "Europe/Berlin" }
    }
  })
  const paused = yield* post("/sources", {
    key: "headwater-schedule",
    name: "Nightly",
    configured_props: { timer: { intervalSeconds: 86_400 } }
  })
  yield* server.api("PUT", `/sources/${paused}`, { active: false })
  const workflow = yield* post("/workflows", {
    workflow_code: "export default { props: { limit: \"integer\" }, run({ steps }) { return steps.trigger.event } }",
    name: "Large orders",
    configured_props: { limit: 5 },
    concurrency: 3,
    retry_delays: [1, 10]
  })
  yield* post("/components", { component_code: "export default { key: \"unused\", run() {} }" })
  yield* post("/subscriptions", { emitter_id: orders, listener_id: workflow, filter: { total: { $gt: 5 } } })
  yield* post("/subscriptions", {
    emitter_id: "dc_*",
    listener_id: webhook,
    event_name: "$errors",
    batch: { max_events: 7 }
  })
  yield* post("/auto_subscriptions", { listener_id: webhook, event_name: "$errors" })
  return { orders, webhook }
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "headwater export and apply",
  (it) => {
    it.effect(
      "carry an account to another server, and change there only what changes in the files",
      () =>
        Effect.gen(function*() {
          const first = yield* RunningServer
          const { orders, webhook } = yield* fill
          const folder = Path.join(yield* TemporaryDirectory.make("setup"), "shop")
          const exported = HeadwaterCommand.jsonOf(yield* first.headwater("/", "export", folder, "--json"))
          assert.sameMembers(
            Json.listOf(exported["secrets"]).map(({ variable }) => variable as unknown as string),
            Object.keys(secrets)
          )
          const before = yield* filesOf(folder)
          assert.deepStrictEqual(Object.keys(before), [
            "accounts/shop-north.json",
            "auto_subscriptions/warehouse--_errors.json",
            "components/orders.mjs",
            "components/unused.json",
            "components/unused.mjs",
            "headwater.json",
            "ids.json",
            "sources/nightly.json",
            "sources/orders.json",
            "subscriptions/dc_all--warehouse--_errors.json",
            "subscriptions/orders--large-orders.json",
            "webhooks/warehouse.json",
            "workflows/large-orders.json",
            "workflows/large-orders.mjs"
          ])
          assert.strictEqual(before["components/orders.mjs"], ordersCode)
          const whole = JSON.stringify(before)
          for (const secret of ["s3cret", "0123", "endpoint_url"]) assert.notInclude(whole, secret)

          // Nothing is otherwise where it comes from.
          assert.strictEqual((yield* first.headwater("/", "apply", folder)).stdout, "Nothing to do\n")

          const server = yield* ServerProcess.make
          yield* server.start
          yield* untilPublished(server)
          const there = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
            HeadwaterCommand.run(args, { ...first.environment, HEADWATER_URL: server.url, ...env })
          HeadwaterCommand.assertRefused(
            yield* there({}, "import", folder, "--yes"),
            /accounts\/shop-north\.json: credentials: is secret: set HEADWATER_SECRET_ACCOUNTS_SHOP_NORTH_CREDENTIALS; .*sources\/orders\.json: configured_props\.token: is secret/
          )
          HeadwaterCommand.assertRefused(yield* there(secrets, "apply", folder), /9 changes wait for a yes/)
          const planned = yield* there(secrets, "apply", folder, "--dry-run")
          assert.match(
            planned.stdout,
            /^\+ create accounts\/shop-north\n(.*\n)*9 to create, 0 to change, 0 to delete\n$/
          )
          assert.deepStrictEqual((yield* server.api("GET", "/users/me/sources"))["data"] as unknown, [])
          const applied = yield* there(secrets, "import", folder, "--yes")
          assert.deepStrictEqual([applied.code, applied.stderr], [0, ""])
          assert.match(applied.stdout, /sources\/orders: http:\/\/\S+\/http\/\S+/)
          assert.strictEqual((yield* there({}, "apply", folder)).stdout, "Nothing to do\n")

          const again = Path.join(yield* TemporaryDirectory.make("setup"), "again")
          assert.strictEqual((yield* there({}, "export", again)).code, 0)
          const after = yield* filesOf(again)
          assert.deepStrictEqual(withoutIds(after), withoutIds(before))
          assert.notStrictEqual(after["ids.json"], before["ids.json"])

          // What is changed in the files is changed there, and nothing else.
          yield* Files.write(folder, { "components/orders.mjs": ordersCode.replace("event.body", "[event.body]") })
          yield* edit(folder, "sources/orders.json", (source) => ({
            ...source,
            name: "All orders",
            configured_props: { ...source.configured_props, region: "south" }
          }))
          yield* edit(
            folder,
            "subscriptions/orders--large-orders.json",
            (subscription) => ({ ...subscription, filter: null })
          )
          yield* Effect.promise(() => Fs.rm(Path.join(folder, "sources/nightly.json")))
          const changes = HeadwaterCommand.jsonOf(yield* there({}, "apply", folder, "--dry-run", "--prune", "--json"))
          const summary = Json.listOf(changes["changes"]).map(({ action, fields, thing }) => [
            action,
            thing,
            ...Json.listOf(fields).map(({ field }) => field)
          ])
          assert.deepStrictEqual<unknown>(summary, [
            ["change", "sources/orders", "name", "code", "configured_props.region"],
            ["change", "subscriptions/orders--large-orders", "filter"],
            ["delete", "sources/nightly"]
          ])
          assert.strictEqual((yield* there({}, "apply", folder, "--prune", "--yes")).code, 0)
          assert.strictEqual((yield* there({}, "apply", folder, "--prune")).stdout, "Nothing to do\n")
          const { data } = yield* server.api("GET", "/sources/all-orders")
          Json.assertHolds(data!["configured_props"], { region: "south" })

          // By their ids, things keep being the same ones where they come from.
          assert.strictEqual((yield* first.headwater("/", "apply", folder, "--yes")).code, 0)
          Json.assertHolds((yield* first.server.api("GET", `/sources/${orders}`))["data"], { name: "All orders" })
          Json.assertHolds((yield* first.server.api("GET", `/webhooks/${webhook}`))["data"], {
            secret_headers: { authorization: "***" }
          })
        }),
      3 * HeadwaterCommand.patienceMs
    )

    it.effect("refuse what can't be, by file and field, and change nothing then", () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        yield* untilPublished(server)
        const folder = yield* Files.make({
          "headwater.json": "{\"format\": 1}",
          "components/bad.mjs": "export default {\n  run() {\n}\n",
          "webhooks/new.json": "{\"url\": \"https://example.com/a\", \"name\": \"New\"}"
        })
        const count = Effect.map(server.api("GET", "/users/me/webhooks"), ({ page_info }) => page_info!["total_count"])
        const before = yield* count
        const refusals: ReadonlyArray<readonly [file: string, text: string, reason: RegExp]> = [
          ["webhooks/a.json", "{", /webhooks\/a\.json is not JSON/],
          ["webhooks/a.json", "{\"url\": \"ftp://a\"}", /webhooks\/a\.json: url: Expected a URL/],
          ["webhooks/a.json", "{\"url\": \"http://a\", \"urll\": 1}", /webhooks\/a\.json: urll: /],
          ["webhooks/a.json", "{\"url\": \"http://a\", \"concurrency\": 0}", /webhooks\/a\.json: concurrency: /],
          ["sources/a.json", "{\"name\": \"A\"}", /sources\/a\.json: expected one of code, url and registry/],
          [
            "sources/a.json",
            "{\"name\": \"A\", \"code\": \"components/bad.mjs\"}",
            /bad\.mjs:\d+:\d+: /
          ],
          [
            "sources/a.json",
            "{\"name\": \"A\", \"code\": \"components/gone.mjs\"}",
            /sources\/a\.json: code: there is no file components\/gone\.mjs/
          ],
          [
            "sources/a.json",
            "{\"name\": \"A\", \"registry\": \"headwater-schedule\", \"configured_props\": {\"tmer\": 1}}",
            /sources\/a\.json: configured_props\.tmer: the component has no such prop/
          ],
          [
            "subscriptions/a.json",
            "{\"emitter\": \"sources/gone\", \"listener\": \"webhooks/new\"}",
            /subscriptions\/a\.json: emitter: there is no file sources\/gone\.json/
          ]
        ]
        for (const [file, text, reason] of refusals) {
          yield* Files.write(folder, { [file]: text })
          HeadwaterCommand.assertRefused(yield* headwater(folder, "apply", ".", "--yes"), reason)
          yield* Effect.promise(() => Fs.rm(Path.join(folder, file)))
        }
        assert.strictEqual(yield* count, before)
        HeadwaterCommand.assertRefused(yield* headwater("/", "apply", "/tmp", "--yes"), /has no headwater\.json/)
        HeadwaterCommand.assertRefused(yield* headwater("/", "export", "/usr"), /not empty, and has no headwater\.json/)
      }), HeadwaterCommand.patienceMs)
  }
)
