import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Deferred, Effect, Exit, Fiber, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerOnTestDatabase from "../../../../test/ServerOnTestDatabase.ts"
import type * as ServerProcess from "../../../../test/ServerProcess.ts"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import * as WatchedServer from "../../test/WatchedServer.ts"

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
  HEADWATER_SECRET_ENVIRONMENT_VARIABLES_SHOP_TOKEN_VALUE: "0123 of the shop",
  HEADWATER_SECRET_ENVIRONMENT_VARIABLES_SHOP_TOKEN_WEB_SHOP_VALUE: "0123 of the web shop",
  HEADWATER_SECRET_ACCOUNTS_SHOP_NORTH_CREDENTIALS: "{\"token\": \"t\"}",
  HEADWATER_SECRET_SOURCES_ORDERS_TOKEN: "0123",
  HEADWATER_SECRET_WEBHOOKS_WAREHOUSE_AUTHORIZATION: "Bearer s3cret"
}

/** Of two files in TypeScript. */
const tellsCode = `import { total } from "./total.ts"

interface Told {
  readonly token: string
  readonly total: number
}

export default {
  props: { http: "$.interface.http", token: { type: "string", secret: true } },
  run(this: any) {
    const told: Told = { token: this.token, total }
    this.$emit(told)
  }
}
`

/** The server publishes its components once it is up. */
const untilPublished = (server: ServerProcess.ServerProcess) =>
  Effect.retry(server.api("GET", "/components/registry/headwater-schedule"), {
    schedule: Schedule.spaced("100 millis")
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
  const web = yield* post("/projects", { name: "Web shop" })
  const orders = yield* post("/sources", {
    project_id: web,
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
  yield* server.api("PUT", `/sources/${paused}`, { active: false, shadow: true })
  yield* post("/data_stores", { name: "Visits of shops" })
  const workflow = yield* post("/workflows", {
    workflow_code: `export default {
      props: { limit: "integer", visits: { type: "data_store" } },
      run({ steps }) { return steps.trigger.event }
    }`,
    name: "Large orders",
    configured_props: { limit: 5, visits: "Visits of shops" },
    concurrency: 3,
    retry_delays: [1, 10]
  })
  const setVariable = (name: string, variable: object) => server.api("PUT", `/environment_variables/${name}`, variable)
  yield* setVariable("SHOP_URL", { value: "https://shop.example" })
  yield* setVariable("SHOP_TOKEN", { value: "0123 of the shop", secret: true })
  yield* setVariable("SHOP_URL", { value: "https://web.example", project_id: web })
  yield* setVariable("SHOP_TOKEN", { value: "0123 of the web shop", secret: true, project_id: web })
  yield* setVariable("SHOP_URL", { value: "https://large.example", program_id: workflow })
  yield* post("/components", { component_code: "export default { key: \"unused\", run(this: unknown) {} }" })
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
            Json.listOf(exported["secrets"]).map(({ variable }) => Json.textOf(variable)),
            Object.keys(secrets)
          )
          const before = yield* filesOf(folder)
          assert.deepStrictEqual(Object.keys(before), [
            "accounts/shop-north.json",
            "auto_subscriptions/warehouse--_errors.json",
            "components/orders.mjs",
            "components/unused.json",
            "components/unused.ts",
            "data_stores/visits-of-shops.json",
            "environment_variables/SHOP_TOKEN--web-shop.json",
            "environment_variables/SHOP_TOKEN.json",
            "environment_variables/SHOP_URL--large-orders.json",
            "environment_variables/SHOP_URL--web-shop.json",
            "environment_variables/SHOP_URL.json",
            "headwater.json",
            "ids.json",
            "projects/web-shop.json",
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

          const here = (...args: ReadonlyArray<string>) =>
            CommandInProcess.run(["apply", ...args], { env: first.environment })
          // Nothing is otherwise where it comes from.
          assert.strictEqual((yield* here(folder)).stdout, "Nothing to do\n")

          const server = yield* ServerOnTestDatabase.make
          yield* server.start
          yield* untilPublished(server)
          const environment = { ...first.environment, HEADWATER_URL: server.url }
          const there = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
            CommandInProcess.run(["apply", ...args], { env: { ...environment, ...env } })
          HeadwaterCommand.assertRefused(
            yield* there({}, folder, "--yes"),
            /accounts\/shop-north\.json: credentials: is secret: set HEADWATER_SECRET_ACCOUNTS_SHOP_NORTH_CREDENTIALS; .*sources\/orders\.json: configured_props\.token: is secret/
          )
          HeadwaterCommand.assertRefused(yield* there(secrets, folder), /16 changes wait for a yes/)
          const planned = yield* there(secrets, folder, "--dry-run")
          assert.match(
            planned.stdout,
            /^\+ create accounts\/shop-north\n(.*\n)*16 to create, 0 to change, 0 to delete\n$/
          )
          assert.deepStrictEqual((yield* server.api("GET", "/users/me/sources"))["data"] as unknown, [])
          const applied = yield* CommandInProcess.run(["import", folder, "--yes"], {
            env: { ...environment, ...secrets }
          })
          assert.deepStrictEqual([applied.code, applied.stderr], [0, ""])
          assert.match(applied.stdout, /sources\/orders: http:\/\/\S+\/http\/\S+/)
          assert.strictEqual((yield* there({}, folder)).stdout, "Nothing to do\n")

          const again = Path.join(yield* TemporaryDirectory.make("setup"), "again")
          assert.strictEqual((yield* CommandInProcess.run(["export", again], { env: environment })).code, 0)
          const after = yield* filesOf(again)
          assert.deepStrictEqual(withoutIds(after), withoutIds(before))
          assert.notStrictEqual(after["ids.json"], before["ids.json"])

          const [large] = Json.listOf((yield* server.api("GET", "/users/me/workflows"))["data"])
          const [store] = Json.listOf((yield* server.api("GET", "/data_stores"))["data"])
          Json.assertHolds(large!["configured_props"], { limit: 5, visits: store!["id"] })
          const ofLarge = yield* server.api(
            "GET",
            `/environment_variables/SHOP_URL?program_id=${Json.textOf(large!["id"])}`
          )
          Json.assertHolds(ofLarge["data"], { value: "https://large.example", secret: false })

          const { id: web } = (yield* server.api("GET", "/projects/web-shop"))["data"]!
          Json.assertHolds((yield* server.api("GET", "/sources/orders"))["data"], { project_id: web })
          const ofWeb = yield* server.api("GET", "/environment_variables/SHOP_URL?project_id=web-shop")
          Json.assertHolds(ofWeb["data"], { value: "https://web.example", secret: false })

          // What is changed in the files is changed there, and nothing else.
          yield* edit(folder, "projects/web-shop.json", () => ({ name: "Web" }))
          yield* edit(folder, "sources/orders.json", (source) => ({ ...source, project: null }))
          yield* edit(
            folder,
            "workflows/large-orders.json",
            (workflow) => ({ ...workflow, project: "projects/web-shop" })
          )
          yield* Effect.promise(() => Fs.rm(Path.join(folder, "environment_variables/SHOP_URL--web-shop.json")))
          yield* edit(folder, "data_stores/visits-of-shops.json", () => ({ name: "Visits" }))
          yield* edit(
            folder,
            "environment_variables/SHOP_URL.json",
            (variable) => ({ ...variable, value: "https://new.example" })
          )
          yield* Effect.promise(() => Fs.rm(Path.join(folder, "environment_variables/SHOP_URL--large-orders.json")))
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
          const changes = HeadwaterCommand.jsonOf(yield* there({}, folder, "--dry-run", "--prune", "--json"))
          const summary = Json.listOf(changes["changes"]).map(({ action, fields, thing }) => [
            action,
            thing,
            ...Json.listOf(fields).map(({ field }) => field)
          ])
          assert.deepStrictEqual<unknown>(summary, [
            ["change", "projects/web-shop", "name"],
            ["change", "environment_variables/SHOP_URL", "value"],
            ["change", "data_stores/visits-of-shops", "name"],
            ["change", "sources/orders", "name", "project", "code", "configured_props.region"],
            ["change", "workflows/large-orders", "project"],
            ["change", "subscriptions/orders--large-orders", "filter"],
            ["delete", "environment_variables/SHOP_URL--large-orders"],
            ["delete", "sources/nightly"],
            ["delete", "environment_variables/SHOP_URL--web-shop"]
          ])
          assert.strictEqual((yield* there({}, folder, "--prune", "--yes")).code, 0)
          assert.strictEqual((yield* there({}, folder, "--prune")).stdout, "Nothing to do\n")
          const { data } = yield* server.api("GET", "/sources/all-orders")
          Json.assertHolds(data!["configured_props"], { region: "south" })

          // Secrets stay where they were given for.
          yield* edit(
            folder,
            "webhooks/warehouse.json",
            (webhook) => ({ ...webhook, url: "https://depot.example.com/" })
          )
          HeadwaterCommand.assertRefused(
            yield* there({}, folder, "--yes"),
            /secret_headers\.authorization: is secret: set HEADWATER_SECRET_WEBHOOKS_WAREHOUSE_AUTHORIZATION/
          )
          const moved = yield* there(secrets, folder, "--yes")
          assert.deepStrictEqual([moved.code, moved.stderr], [0, ""])
          assert.match(moved.stdout, /url.*depot\.example\.com/)
          assert.strictEqual((yield* there({}, folder)).stdout, "Nothing to do\n")
          yield* edit(folder, "webhooks/warehouse.json", (webhook) => ({
            ...webhook,
            url: "https://warehouse.example.com/orders"
          }))

          // By their ids, things keep being the same ones where they come from.
          assert.strictEqual((yield* here(folder, "--yes")).code, 0)
          Json.assertHolds((yield* first.server.api("GET", `/sources/${orders}`))["data"], { name: "All orders" })
          Json.assertHolds((yield* first.server.api("GET", `/webhooks/${webhook}`))["data"], {
            secret_headers: { authorization: "***" }
          })
        }),
      3 * HeadwaterCommand.patienceMs
    )

    it.effect("refuse what can't be, by file and field, and change nothing then", () =>
      Effect.gen(function*() {
        const { environment, server } = yield* RunningServer
        yield* untilPublished(server)
        const env = { ...environment, GIVEN: "secret" }
        const apply = (...args: ReadonlyArray<string>) => CommandInProcess.run(["apply", ...args], { env })
        const folder = yield* Files.make({
          "headwater.json": "{\"format\": 1}",
          "data_stores/known.json": "{\"name\": \"Known\"}",
          "components/bad.mjs": "export default {\n  run() {\n}\n",
          "subscriptions/account.json":
            "{\"emitter\": \"account\", \"listener\": \"webhooks/new\", \"stream\": \"$webhooks\"}",
          "webhooks/new.json": "{\"url\": \"https://example.com/a\", \"name\": \"New\"}"
        })
        const count = Effect.map(server.api("GET", "/users/me/webhooks"), ({ page_info }) => page_info!["total_count"])
        const before = yield* count
        const refusals: ReadonlyArray<readonly [file: string, text: string, reason: RegExp]> = [
          [
            "environment_variables/A.json",
            `{"name": "A", "value": "", "program": "sources/a", "project": "projects/a"}`,
            /environment_variables\/A\.json: expected one of program and project/
          ],
          [
            "environment_variables/A.json",
            `{"name": "A", "value": "", "project": "projects/a"}`,
            /environment_variables\/A\.json: project: there is no file projects\/a\.json/
          ],
          ["projects/b.json", `{"name": ""}`, /projects\/b\.json: name: /],
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
          ],
          [
            "subscriptions/z.json",
            "{\"emitter\": \"account\", \"listener\": \"webhooks/new\", \"stream\": \"$webhooks\"}",
            /subscriptions\/z\.json: listener: subscriptions\/account\.json has the same ends and stream/
          ],
          [
            "webhooks/a.json",
            "{\"url\": \"http://a\", \"secrets\": {\"header.a\": \"A\"}}",
            /webhooks\/a\.json: secrets\.header\.a: there is no such field/
          ],
          [
            "sources/a.json",
            "{\"name\": \"A\", \"registry\": \"headwater-schedule\", \"secrets\": {\"configured_props.tokn\": \"GIVEN\"}}",
            /sources\/a\.json: secrets\.configured_props\.tokn: the component has no such prop/
          ],
          ["environment_variables/A.json", "{\"name\": \"A\"}", /environment_variables\/A\.json: value: is required/],
          [
            "environment_variables/A.json",
            "{\"name\": \"A\", \"secret\": true, \"value\": \"x\"}",
            /environment_variables\/A\.json: value: is secret: name the variable/
          ],
          [
            "environment_variables/A.json",
            "{\"name\": \"A\", \"value\": \"x\", \"program\": \"workflows/gone\"}",
            /environment_variables\/A\.json: program: there is no file workflows\/gone\.json/
          ],
          [
            "sources/a.json",
            "{\"name\": \"A\", \"registry\": \"headwater-schedule\", \"configured_props\": {\"s\": {\"storeId\": \"data_stores/gone\"}}}",
            /configured_props\.s: there is no file data_stores\/gone\.json/
          ],
          [
            "environment_variables/A.json",
            "{\"name\": \"A\", \"value\": \"x\", \"program\": \"p_00000000000000000000\"}",
            /environment_variables\/A\.json: program: expected sources\/<name> or workflows\/<name>/
          ],
          [
            "data_stores/z.json",
            "{\"name\": \"Known\"}",
            /data_stores\/z\.json: name: data_stores\/known\.json has the same name/
          ],
          ["auto-subscription/a.json", "{}", /auto-subscription\/: expected auto_subscriptions\//]
        ]
        for (const [file, text, reason] of refusals) {
          yield* Files.write(folder, { [file]: text })
          HeadwaterCommand.assertRefused(yield* apply(folder, "--yes"), reason)
          yield* Effect.promise(() => Fs.rm(Path.join(folder, file)))
        }
        assert.strictEqual(yield* count, before)
        HeadwaterCommand.assertRefused(yield* apply("/tmp", "--yes"), /has no headwater\.json/)
        const exported = yield* CommandInProcess.run(["export", "/usr"], { env: environment })
        HeadwaterCommand.assertRefused(exported, /not empty, and has no headwater\.json/)
      }), HeadwaterCommand.patienceMs)

    it.effect(
      "find what they have made again, also without a name, under a new name, or where two have one",
      () =>
        Effect.gen(function*() {
          const { environment, server } = yield* RunningServer
          const url = (n: number) => `https://again.example.com/${n}`
          const folder = yield* Files.make({
            "headwater.json": "{\"format\": 1}",
            "accounts/shop.json": "{\"app\": \"shop-again\"}",
            "components/said.mjs": "export default { props: { token: { type: \"string\", secret: true } }, run() {} }",
            "sources/said.json": JSON.stringify({ name: "Said", code: "components/said.mjs" }),
            "webhooks/nameless-1.json": JSON.stringify({ url: url(1) }),
            "webhooks/nameless-2.json": JSON.stringify({ url: url(2) }),
            "webhooks/twin-1.json": JSON.stringify({ name: "Twin", url: url(3) }),
            "webhooks/twin-2.json": JSON.stringify({ name: "Twin", url: url(4) })
          })
          const env = {
            ...environment,
            HEADWATER_SECRET_ACCOUNTS_SHOP_CREDENTIALS: "{}",
            HEADWATER_SECRET_SOURCES_SAID_TOKEN: "t"
          }
          const apply = Effect.map(
            CommandInProcess.run(["apply", folder, "--yes"], { env }),
            ({ stderr, stdout }) => stdout + stderr
          )
          assert.match(yield* apply, /6 changes are done/)
          assert.strictEqual(yield* apply, "Nothing to do\n")
          yield* Files.write(folder, {
            "webhooks/twin-1.json": JSON.stringify({ name: "Twin", url: url(4) }),
            "webhooks/twin-2.json": JSON.stringify({ name: "Twin", url: url(3) })
          })
          assert.strictEqual(yield* apply, "Nothing to do\n")
          yield* Effect.promise(() => Fs.rm(Path.join(folder, "webhooks/twin-2.json")))
          yield* Effect.promise(() =>
            Fs.rename(Path.join(folder, "webhooks/twin-1.json"), Path.join(folder, "webhooks/twin.json"))
          )
          yield* Files.write(folder, { "webhooks/twin.json": JSON.stringify({ name: "Renamed", url: url(5) }) })
          assert.match(yield* apply, /~ change webhooks\/twin\n[^]*1 changes are done/)
          assert.strictEqual(yield* apply, "Nothing to do\n")
          const { data } = yield* server.api("GET", "/users/me/webhooks?limit=100")
          const names = Json.listOf(data).filter(({ url }) => Json.textOf(url).startsWith("https://again.")).map((
            { name }
          ) => name)
          assert.sameMembers<unknown>(names, [null, null, "Twin", "Renamed"])
        }),
      HeadwaterCommand.patienceMs
    )

    it.effect(
      "carry a workflow with the saved component that it imports",
      () =>
        Effect.gen(function*() {
          const { environment, server } = yield* RunningServer
          yield* untilPublished(server)
          const folder = yield* Files.make({
            "headwater.json": "{\"format\": 1}",
            "components/say.json": "{\"code\": \"components/say.mjs\"}",
            "components/say.mjs":
              `export default { key: "text-say", type: "action", props: { text: "string" }, run() { return this.text } }`,
            "sources/shop.json":
              `{"name": "Shop", "code": "sources/shop.mjs", "configured_props": {"rules": {"storeId": "data_stores/eu", "at": 7}}}`,
            "sources/shop.mjs": `export default { props: { rules: "object" }, run() {} }`,
            "workflows/greet.json":
              `{"name": "Greet", "code": "workflows/greet.mjs", "configured_props": {"say.text": "{{steps.trigger.event}}"}}`,
            "workflows/greet.mjs": `import say from 'registry:text-say'\nexport default { steps: { say } }`
          })
          const apply = CommandInProcess.run(["apply", folder, "--yes"], { env: environment })
          const applied = yield* apply
          assert.deepStrictEqual([applied.code, applied.stderr], [0, ""])
          const { data } = yield* server.api("GET", "/workflows/greet")
          Json.assertHolds(data!["configured_props"], { "say.text": "{{steps.trigger.event}}" })
          const shop = yield* server.api("GET", "/sources/shop")
          Json.assertHolds(shop["data"]!["configured_props"], { rules: { storeId: "data_stores/eu", at: 7 } })
          assert.strictEqual((yield* apply).stdout, "Nothing to do\n")

          // A folder that was written before there were data stores says nothing of them.
          yield* server.api("POST", "/data_stores", { name: "Kept" })
          yield* server.api("POST", "/webhooks", { url: "https://example.com/", name: "Not kept" })
          const prune = ["apply", folder, "--prune", "--dry-run"]
          const planned = yield* CommandInProcess.run(prune, { env: environment })
          assert.match(planned.stdout, /- delete webhooks\/not-kept\n/)
          assert.notInclude(planned.stdout, "data_stores/")
        }),
      HeadwaterCommand.patienceMs
    )

    it.effect(
      "carry the client of an account over OAuth 2, without its secret and its tokens",
      () =>
        Effect.gen(function*() {
          const { environment, server } = yield* RunningServer
          const oauth = { client_id: "north", provider: "gitlab", scopes: ["api"], parameters: { prompt: "login" } }
          const file = {
            app: "gitlab",
            name: "Carried",
            oauth,
            secrets: { credentials: "CARRIED_CREDENTIALS", "oauth.client_secret": "CARRIED_SECRET" }
          }
          const folder = yield* Files.make({
            "headwater.json": "{\"format\": 1}",
            "accounts/carried.json": JSON.stringify(file)
          })
          const env = { ...environment, CARRIED_CREDENTIALS: "{}", CARRIED_SECRET: "cs-7Yb2secret" }
          const apply = CommandInProcess.run(["apply", folder, "--yes"], { env })
          HeadwaterCommand.assertRefused(
            yield* CommandInProcess.run(["apply", folder, "--yes"], { env: { ...env, CARRIED_SECRET: "" } }),
            /oauth\.client_secret: is secret: set CARRIED_SECRET/
          )
          assert.match((yield* apply).stdout, /^\+ create accounts\/carried\n1 to create/)
          const carried = Effect.map(
            server.api("GET", "/accounts?limit=100"),
            ({ data }) => Json.listOf(data).find(({ name }) => Json.textOf(name) === "Carried")!["oauth"]!
          )
          Json.assertHolds(yield* carried, { ...oauth, state: "unconnected", token_url: null })
          assert.strictEqual((yield* apply).stdout, "Nothing to do\n")
          yield* edit(
            folder,
            "accounts/carried.json",
            (before) => ({ ...before, oauth: { ...oauth, scopes: ["read_user"] } })
          )
          assert.match((yield* apply).stdout, /1 to change/)
          assert.deepStrictEqual<unknown>((yield* carried)["scopes"], ["read_user"])
          const moved = { ...oauth, scopes: ["read_user"], token_url: "https://gitlab.example.com/oauth/token" }
          yield* edit(folder, "accounts/carried.json", (before) => ({ ...before, oauth: moved }))
          HeadwaterCommand.assertRefused(
            yield* CommandInProcess.run(["apply", folder, "--yes"], { env: { ...env, CARRIED_SECRET: "" } }),
            /oauth\.client_secret: is secret: set CARRIED_SECRET/
          )
          assert.match((yield* apply).stdout, /1 to change/)
          assert.strictEqual(Json.textOf((yield* carried)["token_url"]), moved.token_url)

          const exported = Path.join(yield* TemporaryDirectory.make("carried"), "all")
          yield* CommandInProcess.run(["export", exported], { env })
          const text = (yield* filesOf(exported))["accounts/gitlab-carried.json"]!
          Json.assertHolds(Json.parse(text), { app: "gitlab", oauth: moved })
          assert.notInclude(text, "7Yb2secret")
        }),
      HeadwaterCommand.patienceMs
    )

    it.effect(
      "ask at a terminal, go on after an interruption, and replace secrets only when told to",
      () =>
        Effect.gen(function*() {
          const { environment, events, server } = yield* RunningServer
          const folder = yield* Files.make({
            "headwater.json": "{\"format\": 1}",
            "webhooks/late.json": JSON.stringify({ url: "https://example.com/late", name: "Late" }),
            "components/tells.ts": tellsCode,
            "components/total.ts": "export const total: number = 17\n",
            "sources/tells.json": JSON.stringify({
              name: "Tells",
              code: "components/tells.ts",
              secrets: { "configured_props.token": "TELLS_TOKEN" }
            }),
            "subscriptions/tells--late.json": JSON.stringify({ emitter: "sources/tells", listener: "webhooks/late" })
          })
          const apply = (
            circumstances: Partial<CommandInProcess.Circumstances>,
            ...args: ReadonlyArray<string>
          ) => CommandInProcess.run(["apply", folder, ...args], { env, ...circumstances })
          const env = { ...environment, TELLS_TOKEN: "first-token" }
          const names = (kind: string) =>
            Effect.map(server.api("GET", `/users/me/${kind}?limit=100`), ({ data }) =>
              Json.listOf(data).map(({ name }) => String(name)).filter((name) => /Tells|Late/.test(name)))

          const declined = yield* apply({ typed: "n" })
          assert.match(declined.stdout, /3 to create, 0 to change[^]*Do this\?/)
          assert.deepStrictEqual([yield* names("sources"), yield* names("webhooks")], [[], []])

          const reached = yield* Deferred.make<void>()
          const inFront = yield* WatchedServer.make(server.url, ({ method, path }) => {
            const isKept = method === "POST" && path.endsWith("/sources")
            if (isKept) {
              Deferred.doneUnsafe(reached, Exit.void)
            }
            return !isKept
          })
          const cut = yield* Effect.forkScoped(apply({ env: { ...env, HEADWATER_URL: inFront } }, "--yes"))
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(cut)
          assert.deepStrictEqual([yield* names("sources"), yield* names("webhooks")], [["Tells"], ["Late"]])
          const goneOn = yield* apply({ typed: "y" })
          assert.match(goneOn.stdout, /^\+ create subscriptions\/tells--late\n1 to create, 0 to change, 0 to delete\n/)
          assert.deepStrictEqual([yield* names("sources"), yield* names("webhooks")], [["Tells"], ["Late"]])

          const { data: source } = yield* server.api("GET", "/sources/tells")
          const told = Effect.fnUntraced(function*(count: number) {
            const { endpoint_url } = source!["configured_props"]!["http"]!
            yield* Effect.promise(() =>
              fetch(Json.textOf(endpoint_url), { method: "POST" })
            )
            const [newest] = yield* events(Json.textOf(source!["id"]), count)
            return newest!["event"]!["raw_event"] as unknown
          })
          assert.deepStrictEqual(yield* told(1), { token: "first-token", total: 17 })
          const other = { env: { ...env, TELLS_TOKEN: "other-token" } }
          assert.strictEqual((yield* apply(other)).stdout, "Nothing to do\n")
          const planned = yield* apply(other, "--secrets", "--dry-run", "--json")
          assert.match(planned.stdout, /"configured_props\.token"/)
          assert.notMatch(planned.stdout, /-token/)
          assert.strictEqual((yield* apply(other, "--secrets", "--yes")).code, 0)
          assert.deepStrictEqual(yield* told(2), { token: "other-token", total: 17 })

          yield* Files.write(folder, { "components/total.ts": "export const total: number = 18\n" })
          assert.match((yield* apply({}, "--yes")).stdout, /^~ change sources\/tells\n {4}code: changed\n/)
          assert.deepStrictEqual(yield* told(3), { token: "other-token", total: 18 })
          yield* Files.write(folder, { "components/total.ts": "export const total: = 18\n" })
          HeadwaterCommand.assertRefused(yield* apply({}, "--yes"), /total\.ts:1:21: /)
        }).pipe(Effect.scoped),
      HeadwaterCommand.patienceMs
    )
  }
)
