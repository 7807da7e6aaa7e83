import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Redacted, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import * as SealedFile from "../moving/SealedFile.ts"

const json = (value: unknown) => JSON.stringify(value, undefined, 2)

const archive = {
  "archive.json": json({ format: "headwater-archive/1", from: "https://api.example", owner: "u_1", missing: [] })
}

/** A step of the first generation, as the API answers it. */
const old = (namespace: string, code_raw: string, params: object = {}, accounts: object = {}) => ({
  id: `c_${namespace}`,
  type: "CodeCell",
  namespace,
  component: false,
  code_raw,
  params_json: JSON.stringify(params),
  authProvisionIdMap: accounts
})

const firstGeneration = {
  ...archive,
  "workflows/p_F1.json": json({
    id: "p_F1",
    name: "First generation",
    active: true,
    triggers: [{ id: "hi_F1", custom_response: true, endpoint_url: "https://old.example/f1" }],
    steps: [
      old(
        "sums",
        "async (event, steps) => {\n  const _ = require(\"lodash\")\n  this.lines = []\n  this.lines.push(...event.body.lines)\n" +
          "  total = 0\n  for (line of this.lines) total += line\n  this.$checkpoint = (this.$checkpoint || 0) + 1\n" +
          "  $checkpoint = { last: total, count: this.$checkpoint }\n  return _.max(this.lines)\n}"
      ),
      old(
        "greets",
        "async (event, steps, params, auths) => {\n  // A note.\n" +
          "  return [params.greeting, auths.first_chat.token, steps.sums.lines, steps.sums.$return_value, $checkpoint]\n}",
        { greeting: "Order {{event.body.order}}: {{steps.sums.$return_value}}", nothing: null },
        { first_chat: "apn_F1" }
      ),
      old(
        "body",
        "const answer = { status: 202, body: { got: event.body.order } }\nawait $respond(answer)\nreturn answer.status"
      ),
      old("ends", "async params => {\n  try { $end(\"enough\") } catch (error) { this.caught = true; throw error }\n}"),
      old("never", "async () => { throw new Error(\"it runs\") }")
    ]
  }),
  "workflows/p_F2.json": json({
    id: "p_F2",
    name: "Not rewritten",
    active: true,
    triggers: [{ id: "ti_F2", cron: "0 9 * * *", timezone: "Europe/Berlin" }],
    steps: [
      old("named", "async (event) => {\n  const name = \"lodash\"\n  return require(name)\n}"),
      old("broken", "async (event) => {\n  return (\n}"),
      old("changes", "async (event) => {\n  event.seen = true\n  $unheard(1)\n}")
    ]
  }),
  "workflows/p_F3.json": json({
    id: "p_F3",
    name: "Branches",
    active: true,
    triggers: [{ id: "ti_F3", interval_seconds: 900 }],
    steps: [
      {
        name: "size",
        condition: "{{ steps.trigger.event.total > 10 }}",
        then: [old("large", "async () => \"large\"")],
        else: []
      },
      old("tells", "async (event, steps) => { this.size = steps.size ? steps.size.$return_value : null }")
    ]
  }),
  "workflows/broken.json": "{\n \"id\": \"p_F4\",\n"
}

const passphrase = "a passphrase of some length"

const polling = `export default {
  name: "Orders",
  props: { shop: { type: "app", app: "moved_shop" }, timer: "$.interface.timer", db: "$.service.db", label: "string" },
  run() { this.$emit(this.shop.$auth.token) }
}`

const shout = `export default {
  key: "shout", version: "0.0.2", type: "action", props: { text: "string" },
  run() { return this.text.toUpperCase() + "!" }
}`

/** An archive with all that can be in one. */
const whole = {
  ...archive,
  "accounts.json": json([{ id: "apn_W1", name: "Shop north", app: "moved_shop", connect: null }]),
  "sources/dc_W1.json": json({
    source: {
      id: "dc_W1",
      component_id: "sc_W1",
      name: "Orders",
      name_slug: "orders",
      active: true,
      configured_props: {
        shop: { authProvisionId: "apn_W1" },
        timer: { interval_seconds: 86_400, cron: null },
        db: {},
        label: "all"
      }
    },
    component: {
      id: "sc_W1",
      code: polling,
      configurable_props: [{ name: "shop", type: "app", app: "moved_shop" }, {
        name: "timer",
        type: "$.interface.timer"
      }, {
        name: "db",
        type: "$.service.db"
      }, { name: "label", type: "string" }]
    },
    events: []
  }),
  "sources/dc_W2.json": json({
    source: {
      id: "dc_W2",
      name: "Plain source",
      configured_props: { http: { endpoint_url: "https://old.example/2" } }
    },
    component: {
      id: "sc_W2",
      code: "export default { props: { http: \"$.interface.http\" }, run({ body }) { this.$emit({ text: body }) } }",
      configurable_props: [{ name: "http", type: "$.interface.http" }]
    },
    events: []
  }),
  "sources/dc_W3.json": json({
    source: { id: "dc_W3", name: "Of the registry", configured_props: {} },
    component: { id: "sc_W3", key: "moved_items-new", code: "import app from \"../../app.mjs\"\nexport default app" }
  }),
  "components/sc_W9.json": json({ id: "sc_W9", key: "shout", version: "0.0.2", code: shout }),
  "webhooks.json": json([{ id: "wh_W1", name: "Warehouse", url: "https://hooks.example/w", active: false }]),
  "subscriptions.json": json([
    { id: "sub_W1", emitter_id: "dc_W1", listener_id: "p_W1" },
    { id: "sub_W2", emitter_id: "dc_W2", listener_id: "wh_W1" },
    { id: "sub_W3", emitter_id: "dc_W2", listener_id: "p_W2" },
    { id: "sub_W4", emitter_id: "dc_W2", listener_id: "p_gone" },
    { id: "sub_W5", emitter_id: "dc_W1", listener_id: "wh_W1" }
  ]),
  "data_stores/ds_W1.jsonl": "{\"key\":\"ann\",\"value\":{\"visits\":3}}\n{\"key\":\"bob\",\"value\":1}\n",
  "workflows/p_W1.json": json({
    id: "p_W1",
    name: "Listens",
    active: true,
    triggers: [{ id: "dc_W1", component_id: "sc_W1", active: true, name: "Orders" }],
    steps: [{
      namespace: "a",
      savedComponent: { code: "export default { run({ steps }) { return steps.trigger.event } }" }
    }]
  }),
  "workflows/p_W1.events.json": json({ events: [], errors: [] }),
  "workflows/p_W2.json": json({
    id: "p_W2",
    name: "Other",
    active: true,
    triggers: [{ id: "sub_W3" }],
    steps: [{
      namespace: "shout",
      savedComponent: { key: "@team/shout", version: "0.0.2" },
      configured_props_json: "{\"text\":\"{{steps.trigger.event.text}}\"}"
    }]
  })
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "headwater import pipedream with an archive",
  (it) => {
    /** The newest run of a workflow, once it has ended. */
    const ended = Effect.fnUntraced(function*(slug: string) {
      const { server } = yield* RunningServer
      const runs = yield* server.api("GET", `/workflows/${slug}/runs`).pipe(
        Effect.map(({ data }) => Json.listOf(data)),
        Effect.repeat({
          until: ([run]) => run !== undefined && Json.textOf(run["status"]) !== "running",
          schedule: Schedule.spaced("50 millis")
        }),
        Effect.timeout("60 seconds")
      )
      const { data } = yield* server.api("GET", `/workflows/${slug}/runs/${Json.textOf(runs[0]!["id"])}`)
      return data!
    })

    it.effect("runs steps of the first generation with what they had there", () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const folder = yield* Files.make(firstGeneration)
        const place = yield* TemporaryDirectory.make("moving")
        const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)

        const first = yield* run("pipedream", folder, "--yes", "--json")
        assert.strictEqual(first.code, 0, first.stderr)
        const { report } = JSON.parse(first.stdout)
        const of = (id: string) => report.workflows.find((workflow: { id: string }) => workflow.id === id)
        assert.isTrue(of("p_F1").deployed, json(of("p_F1")))
        const told = of("p_F2").findings.map((
          { file, kind, line, message }: { file: string; kind: string; line: number; message: string }
        ) => `${kind} ${file}:${line} ${message}`).join("\n")
        assert.match(
          told,
          /failed workflows\/p_F2\.json:13 steps\.0: line 3 of the code of named: the name of a package/
        )
        assert.match(told, /failed \S+ steps\.1: line 3 of the code of broken: it can't be read: Unexpected token/)
        assert.match(told, /different \S+ steps\.2: line 2 of the code of changes: changes the event/)
        assert.match(told, /missing \S+ steps\.2: line 3 of the code of changes: \$unheard is not known/)
        assert.match(of("workflows/broken").findings[0].message, /is not JSON/)
        const status = yield* run("status")
        assert.match(status.stdout, /account +greets\.first_chat/)
        assert.notMatch(status.stdout, /timer: when it runs/)

        const account = yield* server.api("POST", "/accounts", {
          app: "first_chat",
          name: "Chat",
          credentials: { token: "t0k" }
        })
        const done = yield* run("finish", "first-generation", "--set", `apn_F1=${Json.textOf(account["data"]!["id"])}`)
        assert.match(done.stdout, /^first-generation: active/, done.stderr + done.stdout)
        const { data: workflow } = yield* server.api("GET", "/workflows/first-generation")
        const url = Json.textOf(workflow!["configured_props"]!["http"]!["endpoint_url"])
        const answer = yield* Effect.promise(() =>
          fetch(url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: "{\"order\":7,\"lines\":[5,9]}"
          })
        )
        assert.deepStrictEqual([answer.status, yield* Effect.promise(() => answer.json())], [202, { got: 7 }])
        const made = yield* ended("first-generation")
        assert.strictEqual(Json.textOf(made["status"]), "success", json(made))
        assert.strictEqual(Json.textOf(made["exit_reason"]), "enough")
        assert.deepStrictEqual<unknown>(Json.listOf(made["steps"]).map(({ name, result }) => [name, result]), [
          ["sums", { $return_value: 9, lines: [5, 9] }],
          ["greets", { $return_value: ["Order 7: 9", "t0k", [5, 9], 9, { last: 14, count: 1 }] }],
          ["body", { $return_value: 202 }],
          ["ends", { caught: true }]
        ])

        const branches = yield* run("finish", "branches")
        assert.match(branches.stdout, /^branches: active/, branches.stderr + branches.stdout)
        yield* server.api("POST", "/workflows/branches/invocations", { event: { total: 20 } })
        const large = yield* ended("branches")
        assert.deepStrictEqual<unknown>(Json.listOf(large["steps"]).map(({ name, result }) => [name, result]), [
          ["size", { $return_value: ["then"] }],
          ["large", { $return_value: "large" }],
          ["tells", { size: "large" }]
        ])
        assert.match((yield* run("pipedream", folder, "--yes")).stdout, /Nothing to do/)
      }), 240_000)

    it.effect(
      "brings sources, accounts, data stores, webhooks and the actions that were saved there",
      () =>
        Effect.gen(function*() {
          const { environment, headwater, server } = yield* RunningServer
          const folder = yield* Files.make(whole)
          const sealed = yield* SealedFile.sealJson(Redacted.make(passphrase), { apn_W1: { token: "t0p-s3cret" } })
          yield* Effect.promise(() => Fs.writeFile(Path.join(folder, "accounts.sealed"), sealed))
          const place = yield* TemporaryDirectory.make("moving")
          const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)

          // Without the passphrase the source that has an account waits for it.
          const first = yield* run("pipedream", folder, "--yes", "--json")
          assert.strictEqual(first.code, 0, first.stderr)
          const { applied, report, stores } = JSON.parse(first.stdout)
          assert.sameMembers(
            applied.map(({ thing }: { thing: string }) => thing).filter((ref: string) => !ref.startsWith("projects/")),
            [
              "data_stores/ds_W1",
              "webhooks/warehouse",
              "sources/plain-source",
              "workflows/listens",
              "workflows/other",
              "subscriptions/plain-source--warehouse"
            ]
          )
          assert.deepStrictEqual(stores, { filled: [{ store: "ds_W1", count: 2 }], failed: [] })
          const told = report.findings.map((
            { file, kind, line, message }: { file: string; kind: string; line: number; message: string }
          ) => `${kind} ${file}:${line} ${message}`).join("\n")
          assert.match(told, /missing sources\/dc_W1\.json:2 dc_W1: Orders has the account apn_W1 there/)
          assert.match(
            told,
            /failed sources\/dc_W3\.json:2 dc_W3: its code imports files that the archive does not have/
          )
          assert.match(told, /missing sources\/orders\.json:1 waits: configured_props\.shop: /)
          assert.match(
            told,
            /missing subscriptions\/orders--warehouse\.json:1 waits: emitter: sources\/orders is left out/
          )
          assert.match(told, /different webhooks\.json:2 wh_W1: signs with a secret of its own/)
          assert.match(told, /missing subscriptions\.json:\d+ the subscription of p_gone to dc_W2 is left out/)
          const status = yield* run("status")
          assert.match(status.stdout, /account +apn_W1: an account in place of apn_W1, which sources\/orders has/)
          assert.notMatch(status.stdout, /dc_W2/)
          const { data: entries } = yield* server.api("GET", "/data_stores/ds_W1/entries")
          assert.deepStrictEqual(Json.listOf(entries).map(({ key }) => Json.textOf(key)), ["ann", "bob"])

          // With it the account is made, and nothing shows its credentials.
          const second = yield* CommandInProcess.run(["import", "pipedream", folder, "--yes"], {
            cwd: place,
            env: { ...environment, HEADWATER_ARCHIVE_PASSPHRASE: passphrase }
          })
          assert.match(second.stdout, /Made the account Shop north with moved_shop/, second.stderr)
          assert.match(second.stdout, /2 changes are done/)
          assert.notInclude(second.stdout + second.stderr, "t0p-s3cret")
          const moved = yield* Effect.promise(() =>
            Fs.readdir(Path.join(place, "moved"), { recursive: true, withFileTypes: true })
          )
          for (const file of moved.filter((each) => each.isFile())) {
            const text = yield* Effect.promise(() => Fs.readFile(Path.join(file.parentPath, file.name), "utf8"))
            assert.notInclude(text, "t0p-s3cret")
          }
          assert.match((yield* run("pipedream", folder, "--yes")).stdout, /Nothing to do/)

          const registry = yield* Files.make({
            "components/moved_items/sources/new/new.mjs":
              "import app from \"../../moved_items.app.mjs\"\nexport default { key: \"moved_items-new\", props: { http: \"$.interface.http\", app }, run() {} }",
            "components/moved_items/moved_items.app.mjs": "export default { type: \"app\", app: \"moved_items\" }"
          })
          const known = yield* run("pipedream", folder, "--registry", registry, "--dry-run")
          assert.match(known.stdout, /\+ create sources\/of-the-registry\n/, known.stderr)

          const { data: before } = yield* server.api("GET", "/sources/orders")
          assert.isFalse(before!["active"])
          const done = yield* run("finish", "listens")
          assert.match(done.stdout, /^listens: active/, done.stderr + done.stdout)
          assert.match((yield* run("finish", "other")).stdout, /^other: active/)
          assert.isTrue((yield* server.api("GET", "/sources/orders")).data!["active"])
          assert.match((yield* run("pipedream", folder, "--yes")).stdout, /Nothing to do/)

          // What the source emits begins the workflow, whose step is an action that was saved there.
          const { data: plain } = yield* server.api("GET", "/sources/plain-source")
          const url = Json.textOf(plain!["configured_props"]!["http"]!["endpoint_url"])
          yield* Effect.promise(() => fetch(url, { method: "POST", body: "north" }))
          const made = yield* ended("other")
          assert.deepStrictEqual<unknown>(Json.listOf(made["steps"]).map(({ name, result }) => [name, result]), [
            ["shout", { $return_value: "NORTH!" }]
          ])
        }),
      240_000
    )

    it.effect("makes a source with the account that `finish` is given", () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const own = JSON.stringify(whole).replaceAll("_W", "_V").replaceAll("Listens", "Listens again")
          .replaceAll("Other", "Other again").replaceAll("Orders", "Orders again").replaceAll("orders", "orders-again")
          .replaceAll("lain source", "lain source again").replaceAll("lain-source", "lain-source-again")
        const folder = yield* Files.make(JSON.parse(own))
        const place = yield* TemporaryDirectory.make("moving")
        const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)
        const first = yield* run("pipedream", folder, "--yes", "--only", "p_V1", "--json")
        assert.strictEqual(first.code, 0, first.stderr)
        const made = JSON.parse(first.stdout).applied.map(({ thing }: { thing: string }) => thing)
        assert.deepStrictEqual(made.filter((ref: string) => !ref.startsWith("projects/")), ["workflows/listens-again"])
        assert.match((yield* run("finish", "p_V1")).stdout, /^listens-again: needs\n +account +apn_V1/)
        const account = yield* server.api("POST", "/accounts", { app: "moved_shop", credentials: { token: "t" } })
        const id = Json.textOf(account["data"]!["id"])
        const done = yield* run("finish", "p_V1", "--set", `apn_V1=${id}`)
        assert.match(done.stdout, /^listens-again: active/, done.stderr + done.stdout)
        const { data: source } = yield* server.api("GET", "/sources/orders-again")
        assert.isTrue(source!["active"])
        assert.deepStrictEqual<unknown>(source!["configured_props"], {
          shop: { authProvisionId: id },
          timer: { cron: null, interval_seconds: 86_400 },
          label: "all"
        })
        assert.match((yield* run("pipedream", folder, "--yes", "--only", "p_V1")).stdout, /Nothing to do/)
        assert.match((yield* headwater(place, "apply", "moved", "--yes")).stdout, /Nothing to do/)
      }), 240_000)

    it.effect(
      "completes a project of git, and tells which workflows an export does not have",
      () =>
        Effect.gen(function*() {
          const { headwater } = yield* RunningServer
          const place = yield* TemporaryDirectory.make("moving")
          const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args, "--dry-run", "--json")
          const git = yield* Files.make({
            "night-p_G1/workflow.yaml":
              "schema: workflow/2022.04\nname: Git night\ntriggers:\n- id: ti_G1\nsteps:\n- namespace: a\n  uses: ./a/entry.js\n",
            "night-p_G1/a/entry.js": "export default { run() { return 1 } }\n"
          })
          const beside = yield* Files.make({
            ...archive,
            "workflows/p_G1.json": json({
              id: "p_G1",
              name: "Git night",
              triggers: [{ id: "ti_G1", cron: "0 3 * * *", timezone: "UTC" }],
              steps: []
            })
          })
          const completed = yield* run("pipedream", git, beside)
          assert.strictEqual(completed.code, 0, completed.stderr)
          const [workflow] = JSON.parse(completed.stdout).report.workflows
          assert.deepStrictEqual([workflow.from, workflow.deployed, workflow.came.props], ["night-p_G1", true, 1])
          assert.deepStrictEqual(workflow.findings, [])

          const exported = yield* Files.make({
            "export/manifest.json": json({
              project: "proj_1",
              workflows: [
                { id: "p_M1", name: "Kept", path: "Shop/Kept.json", status: "exported" },
                { id: "p_M3", name: "Gone", path: "Shop/Gone.json", status: "exported" },
                { id: "p_M2", name: "Lost", status: "skipped", reason: "has steps of the first generation" }
              ]
            }),
            "export/Shop/Kept.json": json({
              name: "Kept",
              triggers: [],
              steps: [{ namespace: "a", code: "export default { run() { return 1 } }" }]
            })
          })
          const report = JSON.parse((yield* run("pipedream", exported)).stdout).report
          assert.deepStrictEqual(
            report.workflows.map((
              { deployed, findings, from, id }: {
                deployed: boolean
                findings: Array<{ message: string }>
                from: string
                id: string
              }
            ) => [id, from, deployed, findings.map(({ message }) => message)]),
            [
              ["p_M1", "Shop/Kept", true, []],
              ["p_M3", "Gone", false, ["p_M3: is listed, but its file is not there"]],
              ["p_M2", "Lost", false, ["p_M2: was not exported: has steps of the first generation"]]
            ]
          )
          const refused = yield* run("pipedream", git, git)
          assert.match(refused.stderr, /has neither archive\.json nor manifest\.json/)
        }),
      240_000
    )

    it.effect("makes nothing of archives that are broken, empty or hostile", () =>
      Effect.gen(function*() {
        const { headwater } = yield* RunningServer
        const place = yield* TemporaryDirectory.make("moving")
        const run = (folder: string) => headwater(place, "import", "pipedream", folder, "--yes", "--json")
        const stepsOf = json({
          id: "p_H1",
          name: "Hostile",
          steps: [{ namespace: "../../../a", code: "export default {}" }]
        })
        const later = yield* Files.make({
          "archive.json": json({ format: "headwater-archive/2" }),
          "workflows/p_1.json": stepsOf
        })
        assert.match((yield* run(later)).stderr, /expected "headwater-archive\/1"/)
        assert.match((yield* run(yield* Files.make(archive))).stderr, /has no workflows/)
        assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(place)), [])
        const hostile = yield* Files.make({
          ...archive,
          "workflows/p_H1.json": stepsOf,
          "workflows/copy.json": stepsOf,
          "workflows/deep.json": "[".repeat(100_000),
          "workflows/list.json": "[1]",
          "sources/dc_H.json": "[",
          "subscriptions.json": "{}",
          "data_stores/ds_H.jsonl": "no entry\n"
        })
        yield* Effect.promise(() => Fs.symlink("/etc", Path.join(hostile, "workflows", "etc")))
        const { code, stdout } = yield* run(hostile)
        const { report, stores } = JSON.parse(stdout)
        assert.strictEqual(code, 1)
        const messages = [
          ...report.findings,
          ...report.workflows.flatMap(({ findings }: { findings: Array<object> }) => findings)
        ]
          .map(({ file, message }: { file: string; message: string }) => `${file}: ${message}`).join("\n")
        assert.match(messages, /workflows\/p_H1\.json: workflows\/copy\.json is the same workflow \(p_H1\)/)
        assert.match(messages, /workflows\/deep\.json: has more than 200 brackets/)
        assert.match(messages, /workflows\/list\.json: has no steps/)
        assert.match(messages, /workflows\/etc: is a symbolic link/)
        assert.match(messages, /sources\/dc_H\.json: is not JSON/)
        assert.match(messages, /subscriptions\.json: is not a list/)
        assert.match(stores.failed[0], /data_stores\/ds_H\.jsonl: Line 1 is no entry/)
        assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(place)), ["moved"])
      }), 240_000)
  }
)
