import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Option, Redacted } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerProcess from "../../../../test/ServerProcess.ts"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HostedService from "../../test/HostedService.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import { zipOf } from "../../test/ZipFile.ts"
import * as SealedFile from "../moving/SealedFile.ts"

const passphrase = "correct horse battery"

const env = {
  PD_API_KEY: HostedService.key,
  HEADWATER_ARCHIVE_PASSPHRASE: passphrase
}

/** A page of a list that has one more after it. */
const page = (data: ReadonlyArray<unknown>, end: string, total: number) => ({
  page_info: { total_count: total, count: data.length, start_cursor: "s", end_cursor: end },
  data
})

const event = (id: string) => ({
  id,
  indexed_at_ms: 1,
  event: { raw_event: { id } },
  metadata: { emitter_id: "dc_A1" }
})

const answers = {
  "/users/me": { data: { id: "u_A1", username: "ann", email: "ann@example.com", api_key: HostedService.key } },
  "/users/me/sources?limit=100": page(
    [
      { id: "dc_A1", component_id: "sc_A1", configured_props: { shop: "north" }, active: true, name: "Orders" }
    ],
    "c1",
    2
  ),
  "/users/me/sources?limit=100&after=c1": page(
    [
      { id: "dc_B2", component_id: "sc_A1", configured_props: {}, active: false, name: "Others" }
    ],
    "c2",
    2
  ),
  "/components/sc_A1": { data: { id: "sc_A1", code: "export default {}", name: "Orders", configurable_props: [] } },
  "/components/sc_C3": { data: { id: "sc_C3", code: "export default { run() {} }", name: "Step" } },
  "/sources/dc_A1/event_summaries?expand=event&limit=100": page(
    [event("1700000000000-10"), event("1700000000000-9"), event("1600000000000-0")],
    "c",
    3
  ),
  "/sources/dc_B2/event_summaries?expand=event&limit=100": page([], "", 0),
  "/users/me/subscriptions": {
    data: [{ id: "sub_A1", emitter_id: "dc_A1", listener_id: "p_A1", event_name: "" }]
  },
  "/users/me/webhooks": page([{ id: "wh_A1", url: "https://example.com/in", active: true }], "c", 1),
  "/workflows/p_A1": {
    id: "p_A1",
    name: "Moved orders",
    active: true,
    triggers: [{ id: "hi_A1", key: "k", endpoint_url: "https://e.example.com", custom_response: true }],
    steps: [
      { id: "c_1", type: "CodeCell", namespace: "one", savedComponent: { id: "sc_C3", key: "step" } },
      { id: "c_2", type: "CodeCell", namespace: "two", savedComponent: { id: "sc_D4", code: "export default 2" } },
      {
        id: "c_3",
        type: "CodeCell",
        namespace: "three",
        component: false,
        code_raw: "async () => {}",
        params_json: "{}"
      }
    ]
  },
  "/workflows/p_B2": { data: { id: "p_B2", name: "In an envelope", triggers: [], steps: [] } },
  "/workflows/p_A1/event_summaries?expand=event&limit=100": page([event("1700000000001-0")], "", 1),
  "/workflows/p_A1/$errors/event_summaries?expand=event&limit=100": page([], "", 0),
  "/workflows/p_B2/event_summaries?expand=event&limit=100": page([], "", 0),
  "/workflows/p_B2/$errors/event_summaries?expand=event&limit=100": page([], "", 0),
  "/accounts?include_credentials=true&limit=100": page(
    [
      {
        id: "apn_A1",
        name: "Shop",
        app: { name_slug: "shop", auth_type: "keys" },
        credentials: { api_key: "s3cret-k" }
      },
      { id: "apn_B2", name: "Chat", app: { name_slug: "slack", auth_type: "oauth" } },
      {
        id: "apn_C3",
        name: "Own",
        app: { name_slug: "google", auth_type: "oauth" },
        credentials: { oauth_client_id: "cl-1", oauth_access_token: "s3cret-t" }
      },
      { id: "apn_D4", app: "plain" }
    ],
    "c",
    4
  )
}

const read = (folder: string, path: string) =>
  Effect.map(Effect.promise(() => Fs.readFile(Path.join(folder, path), "utf8")), Json.parse)

/** Runs the command in a folder of its own, without a server of ours. */
const archiving = Effect.fnUntraced(function*(service: HostedService.HostedService) {
  const place = yield* TemporaryDirectory.make("archive")
  return {
    folder: Path.join(place, "kept"),
    run: (args: ReadonlyArray<string> = [], given: Partial<CommandInProcess.Circumstances> = {}) =>
      CommandInProcess.run(
        ["import", "pipedream", "--archive", "kept", "--from", service.url, "--rate", "100", ...args],
        { env, ...given, cwd: place }
      )
  }
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "headwater import pipedream --archive",
  (it) => {
    it.effect("fetches all that the API gives, with credentials sealed", () =>
      Effect.gen(function*() {
        const service = yield* HostedService.make(answers)
        const { folder, run } = yield* archiving(service)
        const first = yield* run(["--workflow", "p_B2", "--workflow", "p_Gone", "--json"])
        assert.deepStrictEqual<unknown>(HeadwaterCommand.jsonOf(first), {
          archive: "kept",
          counts: {
            accounts: { all: 4, fetched: 4 },
            components: { all: 2, fetched: 2 },
            sources: { all: 2, fetched: 2 },
            subscriptions: { all: 1, fetched: 1 },
            webhooks: { all: 1, fetched: 1 },
            workflows: { all: 2, fetched: 2 }
          },
          missing: [{
            what: "workflow",
            id: "p_Gone",
            why: "404: the service has none, or none that the key may read"
          }]
        })
        assert.deepStrictEqual(yield* Files.namesIn(folder), [
          "accounts.json",
          "accounts.sealed",
          "archive.json",
          "components/sc_A1.json",
          "components/sc_C3.json",
          "sources/dc_A1.json",
          "sources/dc_B2.json",
          "subscriptions.json",
          "webhooks.json",
          "workflows/p_A1.events.json",
          "workflows/p_A1.json",
          "workflows/p_B2.events.json",
          "workflows/p_B2.json"
        ])
        const archive = yield* read(folder, "archive.json")
        Json.assertHolds(archive, { format: "headwater-archive/1", from: service.url })
        assert.deepStrictEqual<unknown>(archive["owner"], { id: "u_A1", username: "ann" })
        const source = yield* read(folder, "sources/dc_A1.json")
        assert.deepStrictEqual<unknown>(source["source"]!["configured_props"], { shop: "north" })
        assert.strictEqual<unknown>(source["component"]!["code"], "export default {}")
        assert.deepStrictEqual(Json.listOf(source["events"]).map(({ id }) => Json.textOf(id)), [
          "1600000000000-0",
          "1700000000000-9",
          "1700000000000-10"
        ])
        const workflow = yield* read(folder, "workflows/p_A1.json")
        assert.deepStrictEqual<unknown>(
          Json.listOf(workflow["steps"]).map((step) => step["savedComponent"]?.["code"]),
          ["export default { run() {} }", "export default 2", undefined]
        )
        assert.strictEqual<unknown>((yield* read(folder, "workflows/p_B2.json"))["name"], "In an envelope")

        const accounts: ReadonlyArray<Json.Json> = Json.listOf(yield* read(folder, "accounts.json"))
        assert.deepStrictEqual(accounts.map((account) => [Json.textOf(account["id"]), Json.textOf(account["app"])]), [
          ["apn_A1", "shop"],
          ["apn_B2", "slack"],
          ["apn_C3", "google"],
          ["apn_D4", "plain"]
        ])
        assert.strictEqual<unknown>(accounts[0]!["connect"], null)
        assert.match(Json.textOf(accounts[1]!["connect"]), /service's own client/)
        assert.match(Json.textOf(accounts[2]!["connect"]), /your client cl-1/)
        assert.match(Json.textOf(accounts[3]!["connect"]), /does not give its credentials/)
        const sealed = yield* SealedFile.read(Path.join(folder, "accounts.sealed"), Redacted.make(passphrase)).pipe(
          Effect.provide(NodeServices.layer)
        )
        assert.deepStrictEqual<unknown>(Option.getOrUndefined(sealed), {
          apn_A1: { api_key: "s3cret-k" },
          apn_C3: { oauth_client_id: "cl-1", oauth_access_token: "s3cret-t" }
        })
        for (const file of yield* Files.namesIn(folder)) {
          const path = Path.join(folder, file)
          const text = yield* Effect.promise(() => Fs.readFile(path, "latin1"))
          for (const secret of ["s3cret", HostedService.key, passphrase]) assert.notInclude(text, secret, file)
          assert.strictEqual((yield* Effect.promise(() => Fs.stat(path))).mode & 0o777, 0o600, file)
        }
        assert.strictEqual((yield* Effect.promise(() => Fs.stat(folder))).mode & 0o777, 0o700)
      }), 120_000)

    it.effect("goes on with what is missing, and fetches all anew with --again", () =>
      Effect.gen(function*() {
        const service = yield* HostedService.make(answers)
        const { folder, run } = yield* archiving(service)
        service.trouble({ path: /^\/components\/sc_C3/, status: 403 }, { path: /^\/sources\/dc_B2/, status: 404 })
        const first = yield* run()
        assert.strictEqual(first.code, 0, first.stderr)
        assert.match(first.stdout, /missing +component sc_C3: 403: the key may not read it/)
        assert.match(first.stdout, /missing +events dc_B2: 404: /)
        const steps = Json.listOf((yield* read(folder, "workflows/p_A1.json"))["steps"])
        assert.isUndefined(steps[0]!["savedComponent"]!["code"])

        service.trouble()
        const before = service.asked.length
        const second = yield* run()
        assert.match(second.stdout, /sources +2, of which 1 were there/)
        assert.notMatch(second.stdout, /missing/)
        assert.deepStrictEqual(service.asked.slice(before), [
          "/users/me",
          "/users/me/sources?limit=100",
          "/users/me/sources?limit=100&after=c1",
          "/sources/dc_B2/event_summaries?expand=event&limit=100",
          "/components/sc_C3"
        ])
        const whole = Json.listOf((yield* read(folder, "workflows/p_A1.json"))["steps"])
        assert.strictEqual<unknown>(whole[0]!["savedComponent"]!["code"], "export default { run() {} }")

        const otherwise = yield* run(["--again"], {
          env: { ...env, HEADWATER_ARCHIVE_PASSPHRASE: "another passphrase" }
        })
        assert.match(otherwise.stderr, /accounts\.sealed is not opened by this passphrase/)
        assert.match((yield* run(["--again"])).stdout, /sources +2\n/)
      }), 120_000)

    it.effect(
      "keeps what it has of that which the service no longer gives, with --again too",
      () =>
        Effect.gen(function*() {
          const service = yield* HostedService.make(answers)
          const { folder, run } = yield* archiving(service)
          yield* run(["--workflow", "p_A1"])
          const paths = ["sources/dc_A1.json", "workflows/p_A1.json", "workflows/p_A1.events.json"]
          const before = yield* Effect.forEach(paths, (path) => read(folder, path))
          service.trouble({ path: /^\/(components|.*\/event_summaries)/, status: 404 })
          const again = yield* run(["--again", "--workflow", "p_A1"])
          assert.match(again.stdout, /missing +events dc_A1: 404/, again.stderr)
          assert.match(again.stdout, /missing +component sc_C3: 404/)
          assert.deepStrictEqual(yield* Effect.forEach(paths, (path) => read(folder, path)), before)
        }),
      120_000
    )

    it.effect("follows no redirect", () =>
      Effect.gen(function*() {
        const other = yield* HostedService.make(answers)
        const service = yield* HostedService.make(answers)
        const { run } = yield* archiving(service)
        service.trouble({ path: /^\/users\/me$/, status: 302, headers: { location: `${other.url}/users/me` } })
        HeadwaterCommand.assertRefused(yield* run(), /302: the service leads elsewhere/)
        assert.deepStrictEqual(other.asked, [])
      }), 120_000)

    it.effect("waits where it is asked to, and asks again where the service fails", () =>
      Effect.gen(function*() {
        const service = yield* HostedService.make(answers)
        const { run } = yield* archiving(service)
        service.trouble(
          { path: /^\/users\/me$/, status: 502, times: 2 },
          { path: /^\/components\/sc_A1/, status: 429, headers: { "retry-after": "1" }, times: 1 },
          { path: /^\/sources\/dc_A1/, status: 429, headers: { "retry-after": "3600" } },
          { path: /^\/users\/me\/webhooks/, status: 200, body: "<html>" },
          { path: /^\/users\/me\/subscriptions/, status: 200, body: "{\"data\": [{\"id\": \"sub_1\"}, 7]}" }
        )
        const done = yield* run()
        assert.strictEqual(done.code, 0, done.stderr)
        assert.match(done.stdout, /missing +events dc_A1: 429: the service asks for a pause of more than 10 minutes/)
        assert.match(done.stdout, /missing +webhooks: the answer is not JSON/)
        assert.match(
          done.stdout,
          /missing +subscriptions: item 1: the answer has a form that is not known: .*emitter_id/
        )
        assert.match(done.stdout, /missing +subscriptions: item 2: /)
        assert.strictEqual(service.asked.filter((path) => path.startsWith("/components/sc_A1")).length, 2)
      }), 120_000)

    it.effect("takes nothing that is not as it should be", () =>
      Effect.gen(function*() {
        const hostile = yield* HostedService.make({
          ...answers,
          "/users/me/sources?limit=100": page([{ id: "../../out", component_id: "sc_A1" }], "c1", 2),
          "/workflows/p_B2": "[1]",
          "/workflows/p_C3": `"${"x".repeat(65 * 1024 * 1024)}"`
        })
        const { folder, run } = yield* archiving(hostile)
        const done = yield* run(["--workflow", "p_B2", "--workflow", "p_C3"])
        assert.match(done.stdout, /missing +sources: item 1: /, done.stderr)
        assert.match(done.stdout, /missing +workflow p_B2: the answer has a form that is not known/)
        assert.match(done.stdout, /missing +workflow p_C3: the answer is larger than/)
        assert.notInclude((yield* Files.namesIn(Path.dirname(folder))).join(), "out")

        const endless = yield* HostedService.make({
          ...answers,
          "/users/me/sources?limit=100&after=c1": page([{ id: "dc_B2" }], "c1", 9)
        })
        const other = yield* archiving(endless)
        assert.match((yield* other.run()).stdout, /missing +sources: the list does not end: a page comes again/)
        const short = yield* archiving(
          yield* HostedService.make({ ...answers, "/users/me/sources?limit=100&after=c1": page([], "c1", 2) })
        )
        assert.match((yield* short.run()).stdout, /missing +sources: the service counts 2, and gave 1/)

        const refused = yield* archiving(endless)
        HeadwaterCommand.assertRefused(
          yield* refused.run([], { env: { ...env, PD_API_KEY: "other" } }),
          /users\/me: 401: the service refuses the key/
        )
        HeadwaterCommand.assertRefused(yield* refused.run([], { env: {} }), /set PD_API_KEY/)
        HeadwaterCommand.assertRefused(
          yield* refused.run([], { env: { ...env, HEADWATER_ARCHIVE_PASSPHRASE: "short" } }),
          /fewer than 12 characters/
        )
        HeadwaterCommand.assertRefused(yield* refused.run(["./project"]), /imports nothing: give --project \.\/project/)
        HeadwaterCommand.assertRefused(
          yield* CommandInProcess.run(["import", "pipedream", "project", "--org", "o_A1", "--again"], { env }),
          /--org, --again: fetches an archive: give --archive/
        )
        const spaced = `${HostedService.key}\n${" ".repeat(11)}x\n${" ".repeat(11)}x\n`
        assert.match((yield* refused.run([], { env: {}, typed: spaced })).stderr, /fewer than 12 characters/)
        HeadwaterCommand.assertRefused(
          yield* CommandInProcess.run(["import", "pipedream", "--archive", "a", "--from", "http://example.com"], {
            env
          }),
          /Expected an https URL/
        )
      }), 120_000)

    it.effect("keeps to the folder that it has made, and to its owner", () =>
      Effect.gen(function*() {
        const service = yield* HostedService.make({
          ...answers,
          "/orgs/o_A1/sources?org_id=o_A1&limit=100": page([], "", 0),
          "/workspaces/o_A1/subscriptions?org_id=o_A1": { data: [] },
          "/users/me/webhooks?org_id=o_A1": page([], "", 0),
          "/accounts?org_id=o_A1&include_credentials=true&limit=100": page([], "", 0)
        })
        const { folder, run } = yield* archiving(service)
        yield* Files.write(folder, { "own.txt": "mine" })
        HeadwaterCommand.assertRefused(yield* run(), /is not empty, and no archive/)
        yield* Effect.promise(() => Fs.rm(folder, { recursive: true }))
        const ofOrg = yield* run(["--org", "o_A1"])
        assert.match(ofOrg.stdout, /^Archived o_A1 of /, ofOrg.stderr)
        assert.notMatch(ofOrg.stdout, /missing/)
        assert.strictEqual<unknown>((yield* read(folder, "archive.json"))["owner"]!["org"], "o_A1")
        HeadwaterCommand.assertRefused(yield* run(), /is the archive of o_A1/)
      }), 120_000)

    it.effect("asks at a terminal for the key, and twice for a passphrase", () =>
      Effect.gen(function*() {
        const service = yield* HostedService.make(answers)
        const { run } = yield* archiving(service)
        const typed = `${HostedService.key}\n${passphrase}\n${passphrase}\n`
        const done = yield* run([], { env: {}, typed })
        assert.match(done.stdout, /accounts +4/, done.stderr)
        assert.notInclude(done.stdout, HostedService.key)
        assert.notInclude(done.stdout, passphrase)
        const other = yield* archiving(service)
        const differs = yield* other.run([], {
          env: {},
          typed: `${HostedService.key}\n${passphrase}\n${passphrase}x\n`
        })
        assert.match(differs.stderr, /the two passphrases differ/)
      }), 120_000)

    it.effect(
      "finds workflows by a project's folders and by the manifest of an exported one, which it keeps",
      () =>
        Effect.gen(function*() {
          const service = yield* HostedService.make(answers)
          const { folder, run } = yield* archiving(service)
          const synchronised = yield* Files.make({
            "orders/.workflow.state": "schema: workflow.state/2022.04\nid: p_B2\n",
            "orders/workflow.yaml": "schema: workflow/2022.04\nname: Orders\n"
          })
          const exported = Path.join(yield* TemporaryDirectory.make("zip"), "project_export-proj_A1.zip")
          const manifest = {
            workflows: [{ id: "p_A1", file: "sales/orders.json" }, { id: "p_Left", error: "too large" }]
          }
          yield* Effect.promise(() =>
            Fs.writeFile(
              exported,
              zipOf([
                { name: "manifest.json", content: JSON.stringify(manifest) },
                { name: "sales/orders.json", content: "{\"id\":\"p_A1\"}" }
              ])
            )
          )
          const done = yield* run(["--project", synchronised, "--project", exported])
          assert.match(done.stdout, /workflows +2\n/, done.stderr)
          assert.match(done.stdout, /missing +workflow p_Left: 404/)
          assert.deepStrictEqual<unknown>(yield* read(folder, "manifest.json"), manifest)
          assert.deepStrictEqual(yield* Files.namesIn(Path.join(folder, "project")), ["sales/orders.json"])

          const other = Path.join(Path.dirname(exported), "project_export-proj_B2.zip")
          const manifestOfOther = JSON.stringify({ workflows: [{ id: "p_B2", file: "b.json" }] })
          yield* Effect.promise(() => Fs.writeFile(other, zipOf([{ name: "manifest.json", content: manifestOfOther }])))
          HeadwaterCommand.assertRefused(yield* run(["--project", other]), /kept has another exported project than/)
          assert.deepStrictEqual<unknown>(yield* read(folder, "manifest.json"), manifest)
          assert.deepStrictEqual(yield* Files.namesIn(Path.join(folder, "project")), ["sales/orders.json"])
        }),
      120_000
    )

    it.effect("fetches from this server, which serves the same contract", () =>
      Effect.gen(function*() {
        const { events, server } = yield* RunningServer
        const code = "export default { props: { http: \"$.interface.http\" }, run(event) { this.$emit(event.body) } }"
        const { data: source } = yield* server.api("POST", "/sources", { component_code: code, name: "Kept" })
        const id = Json.textOf(source!["id"])
        yield* Effect.promise(() =>
          fetch(Json.textOf(source!["configured_props"]!["http"]!["endpoint_url"]), {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: "{\"n\":1}"
          })
        )
        yield* events(id, 1)
        const { data: workflow } = yield* server.api("POST", "/workflows", {
          name: "Heard",
          workflow_code: "export default { run() { return 1 } }"
        })
        yield* server.api("POST", "/subscriptions", { emitter_id: id, listener_id: workflow!["id"] })
        yield* server.api("POST", "/webhooks", { url: "https://example.com/in" })
        yield* server.api("POST", "/accounts", { app: "shop", credentials: { token: "t0k" } })
        const place = yield* TemporaryDirectory.make("archive")
        const done = yield* CommandInProcess.run(
          ["import", "pipedream", "--archive", "kept", "--from", `${server.url}/v1`, "--rate", "100", "--json"],
          { env: { ...env, PD_API_KEY: ServerProcess.key }, cwd: place }
        )
        const one = { all: 1, fetched: 1 }
        assert.deepStrictEqual<unknown>(HeadwaterCommand.jsonOf(done), {
          archive: "kept",
          counts: { accounts: one, components: one, sources: one, subscriptions: one, webhooks: one, workflows: one },
          missing: []
        })
        const folder = Path.join(place, "kept")
        const kept = yield* read(folder, `sources/${id}.json`)
        assert.strictEqual<unknown>(kept["component"]!["code"], code)
        assert.deepStrictEqual<unknown>(Json.listOf(kept["events"])[0]!["event"], { raw_event: { n: 1 } })
        const [account] = Json.listOf(yield* read(folder, "accounts.json"))
        assert.match(Json.textOf(account!["connect"]), /does not give its credentials/)
      }), 120_000)
  }
)
