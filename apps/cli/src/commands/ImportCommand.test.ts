import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import { zipOf } from "../../test/ZipFile.ts"

/** A project as the service synchronises it with git. */
const project = {
  "orders-p_A1/.workflow.state": "schema: workflow.state/2022.04\nid: p_A1\n",
  "orders-p_A1/workflow.yaml": `schema: workflow/2022.04
name: Moved orders
settings:
  error_notification: true
  lambda_timeout: 60
triggers:
- id: hi_A1
steps:
- namespace: code
  runtime: nodejs20.x
  uses: ./code/entry.js
  note: Adds up the lines
- namespace: greet customer
  runtime: nodejs20.x
  uses: ./greet customer/entry.mjs
  props:
    greeting: "Order {{steps.trigger.event.body.order}}: {{steps.code.$return_value}}"
    chat:
      authProvisionId: apn_A1
    seen:
      storeId: ds_A1
- namespace: only_large
  runtime: nodejs20.x
  uses: ./only_large/entry.js
  props:
    _filter:
      continue: true
      rules:
        t: and
        r:
        - a: "{{steps.code.$return_value}}"
          op: num>
          b: 10
- namespace: after
  runtime: nodejs20.x
  uses: ./after/entry.ts
`,
  "orders-p_A1/code/entry.js": `import { sum } from "./lib/sum.js"
export default defineComponent({ async run({ steps, $ }) { return sum(steps.trigger.event.body.lines) } })
`,
  "orders-p_A1/code/lib/sum.js": "export const sum = (lines) => lines.reduce((all, each) => all + each, 0)\n",
  "orders-p_A1/greet customer/entry.mjs": `export default defineComponent({
  props: { greeting: "string", chat: { type: "app", app: "moved_chat" }, seen: { type: "data_store" } },
  async run({ $ }) {
    await this.seen.set("last", this.greeting)
    return [this.greeting, this.chat.$auth.token, process.env.MOVED_SHOP]
  }
})
`,
  "orders-p_A1/only_large/entry.js": "export default defineComponent({ async run() {} })\n",
  "orders-p_A1/after/entry.ts":
    "export default { async run({ steps }: any): Promise<unknown> { return steps[\"greet customer\"].$return_value } }\n",
  "inner/nightly-p_B2/workflow.yaml": `schema: workflow/2022.04
name: Moved nightly
triggers:
- id: ti_B2
steps:
- namespace: say
  uses: ./say/entry.js
`,
  "inner/nightly-p_B2/say/entry.js": "export default { async run() { return \"night\" } }\n",
  "refused-p_C3/workflow.yaml": `schema: workflow/2022.04
name: Moved refused
steps:
- namespace: broken
  uses: ./broken/entry.js
`,
  "refused-p_C3/broken/entry.js": "export default {\n  run() { return }}\n}\n",
  "unread-p_D4/workflow.yaml": "schema: workflow/2022.04\nsteps: [\n"
}

const read = (folder: string, file: string) => Effect.promise(() => Fs.readFile(Path.join(folder, file), "utf8"))

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "headwater import pipedream",
  (it) => {
    it.effect("brings a project, each workflow of which runs once it has what it needs", () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const folder = yield* Files.make(project)
        const place = yield* TemporaryDirectory.make("moving")
        const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)

        const dry = yield* run("pipedream", folder, "--dry-run", "--json")
        assert.strictEqual(dry.code, 0, dry.stderr)
        assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(place)), [])

        const refused = yield* run("pipedream", folder)
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stderr, /wait for a yes/)

        const first = yield* run("pipedream", folder, "--yes", "--json")
        assert.strictEqual(first.code, 0, first.stderr)
        const { applied, endpoints, report } = JSON.parse(first.stdout)
        const projectRef = Path.basename(folder).toLowerCase().replace(/[^a-z0-9_-]+/g, "-")
        assert.sameMembers(applied.map(({ thing }: { thing: string }) => thing), [
          "data_stores/ds_A1",
          `projects/${projectRef}`,
          "workflows/orders",
          "workflows/nightly"
        ])
        assert.deepInclude(report.counts, { workflows: 4, deployed: 2 })
        const of = (id: string) => report.workflows.find((workflow: { id: string }) => workflow.id === id)
        const places = (id: string) =>
          of(id).findings.map(({ file, line }: { file: string; line: number }) => `${file}:${line}`)
        assert.includeMembers(places("p_A1"), [
          "orders-p_A1/workflow.yaml:7",
          "orders-p_A1/workflow.yaml:18",
          "orders-p_A1/workflow.yaml:20",
          "orders-p_A1/greet customer/entry.mjs:5"
        ])
        assert.deepStrictEqual(places("p_C3"), ["refused-p_C3/broken/entry.js:3"])
        assert.deepStrictEqual(places("p_D4"), ["unread-p_D4/workflow.yaml:3"])

        const status = yield* run("status")
        assert.match(status.stdout, /account +greet customer\.chat/)
        assert.match(status.stdout, /variable +env\.MOVED_SHOP/)
        assert.match(status.stdout, /timer +timer: /)
        assert.match(status.stdout, /refused: not deployed/)
        assert.match(status.stdout, /0 of 3 workflows are active/)

        const account = yield* server.api("POST", "/accounts", {
          app: "moved_chat",
          name: "Chat",
          credentials: { token: "t0k" }
        })
        const id = Json.textOf(account["data"]!["id"])
        const { data: shown } = yield* server.api("GET", "/imports/moved")
        const inReport = (id: string) =>
          Json.listOf(shown!["report"]!["workflows"]).find(({ moved_from }) => Json.textOf(moved_from) === id)!
        assert.deepStrictEqual<unknown>(inReport("p_A1")["endpoints"], [
          { trigger: "hi_A1", old_url: null, url: endpoints[0].url }
        ])
        assert.match(endpoints[0].url, /^http.*\/http\//)
        assert.strictEqual<unknown>(inReport("p_C3")["workflow_id"], null)
        Json.assertHolds(inReport("p_C3")["findings"]![0], { file: "refused-p_C3/broken/entry.js", line: 3 })
        const half = yield* run("finish", "nightly")
        assert.match(half.stdout, /nightly: needs/)
        const done = yield* run("finish", "orders", "--set", `apn_A1=${id}`, "--set", "env.MOVED_SHOP=north")
        assert.match(done.stdout, /^orders: active/, done.stderr)
        const old = "https://old.example/orders"
        assert.match((yield* run("finish", "orders", "--set", "hi_A1=orders")).stderr, /hi_A1: expected the URL/)
        const given = yield* run("finish", "orders", "--set", `hi_A1=${old}`)
        assert.match(given.stdout, /Moved orders +https:\/\/old\.example\/orders +http/, given.stderr)

        const { data: workflow } = yield* server.api("GET", "/workflows/moved-orders")
        const owner = Json.textOf(workflow!["project_id"])
        const { data: variables } = yield* server.api("GET", `/environment_variables?project_id=${owner}`)
        assert.deepStrictEqual(Json.listOf(variables).map(({ name }) => Json.textOf(name)), ["MOVED_SHOP"])
        const url = Json.textOf(workflow!["configured_props"]!["http"]!["endpoint_url"])
        yield* Effect.promise(() =>
          fetch(url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: "{\"order\":7,\"lines\":[5,9]}"
          })
        )
        const runs = yield* server.api("GET", "/workflows/moved-orders/runs").pipe(
          Effect.map(({ data }) => Json.listOf(data)),
          Effect.repeat({
            until: ([run]) => run !== undefined && Json.textOf(run["status"]) !== "running",
            schedule: Schedule.spaced("50 millis")
          }),
          Effect.timeout("60 seconds")
        )
        const { data: ended } = yield* server.api("GET", `/workflows/moved-orders/runs/${Json.textOf(runs[0]!["id"])}`)
        assert.strictEqual(Json.textOf(ended!["status"]), "success")
        assert.deepStrictEqual<unknown>(Json.listOf(ended!["steps"]).at(-1)!["result"], {
          $return_value: ["Order 7: 14", "t0k", "north"]
        })

        // Another time it has nothing to do, keeps what somebody has changed, and brings what has changed there.
        const moved = Path.join(place, "moved")
        assert.match((yield* run("pipedream", folder, "--yes")).stdout, /Nothing to do/)
        assert.match((yield* headwater(place, "apply", "moved", "--yes")).stdout, /Nothing to do/)
        assert.strictEqual((yield* headwater(place, "stores", "rename", "ds_A1", "customers")).code, 0)
        assert.match((yield* run("pipedream", folder, "--yes")).stdout, /Nothing to do/)
        yield* Files.write(moved, {
          "workflows/nightly/say/entry.js": "export default { async run() { return \"mine\" } }\n",
          "workflows/orders/code/lib/sum.js": "export const sum = () => 1\n"
        })
        yield* Files.write(folder, {
          "orders-p_A1/code/lib/sum.js": "export const sum = () => 2\n",
          "orders-p_A1/after/entry.ts": "export default { async run(): Promise<unknown> { return \"new\" } }\n"
        })
        const again = yield* run("pipedream", folder, "--yes")
        assert.match(again.stdout, /Kept workflows\/nightly\/say\/entry\.js, which you have changed\n/)
        assert.match(again.stdout, /the new one is workflows\/orders\/code\/lib\/sum\.js\.new/)
        assert.match(yield* read(moved, "workflows/orders/code/lib/sum.js"), /=> 1/)
        assert.match(yield* read(moved, "workflows/orders/code/lib/sum.js.new"), /=> 2/)
        assert.match(yield* read(moved, "workflows/orders/after/entry.ts"), /new/)
        assert.match(
          (yield* run("status")).stdout,
          /orders: active[^]*Moved orders +https:\/\/old\.example\/orders +http/
        )
        const { data: renewed } = yield* server.api("GET", "/imports/moved")
        assert.sameDeepMembers<unknown>(
          Json.listOf(renewed!["report"]!["workflows"]).map((
            { moved_from, needs }
          ) => [moved_from, Json.listOf(needs).length]),
          [["p_A1", 0], ["p_B2", 1], ["p_C3", 0], ["p_D4", 0]]
        )
        assert.strictEqual(Json.listOf((yield* server.api("GET", "/users/me/workflows"))["data"]).length, 2)

        const timed = yield* run(
          "finish",
          "p_B2",
          "--set",
          "timer={\"cron\": \"0 9 * * *\", \"timezone\": \"Europe/Berlin\"}"
        )
        assert.match(timed.stdout, /^nightly: active/, timed.stderr)
      }), 240_000)

    it.effect("brings a project from its zip, and nothing of a hostile one", () =>
      Effect.gen(function*() {
        const { headwater } = yield* RunningServer
        const place = yield* TemporaryDirectory.make("moving")
        const files = {
          "zipped-p_F6/workflow.yaml":
            "schema: workflow/2022.04\nname: Zipped\nsteps:\n- namespace: a\n  uses: ./a/entry.js\n",
          "zipped-p_F6/a/entry.js": "export default { run() { return 1 } }\n"
        }
        const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
        yield* Effect.promise(async () => {
          await Fs.writeFile(Path.join(place, "project.zip"), zipOf(entries))
          await Fs.writeFile(Path.join(place, "hostile.zip"), zipOf([...entries, { name: "../out.js", content: "1" }]))
        })
        const hostile = yield* headwater(place, "import", "pipedream", "hostile.zip", "--yes")
        HeadwaterCommand.assertRefused(hostile, /its entry "\.\.\/out\.js" leads out of the folder/)
        const ext = yield* headwater(place, "import", "pipedream", "ext::touch out.js", "--yes")
        HeadwaterCommand.assertRefused(ext, /is no URL of a repository/)
        assert.sameMembers(yield* Effect.promise(() => Fs.readdir(place)), ["project.zip", "hostile.zip"])
        const brought = yield* headwater(place, "import", "pipedream", "project.zip", "--yes", "--json")
        assert.strictEqual(brought.code, 0, brought.stderr)
        assert.strictEqual(JSON.parse(brought.stdout).report.workflows[0].from, "zipped-p_F6")
        assert.match(yield* read(place, "moved/workflows/zipped/a/entry.js"), /return 1/)
      }), 240_000)

    it.effect(
      "takes over no workflow that it has not made, and writes into no folder of others",
      () =>
        Effect.gen(function*() {
          const { headwater, server } = yield* RunningServer
          const folder = yield* Files.make({
            "taken-p_E5/workflow.yaml":
              "schema: workflow/2022.04\nname: Taken\nsteps:\n- namespace: a\n  uses: ./a/entry.js\n",
            "taken-p_E5/a/entry.js": "export default { run() { return 2 } }\n"
          })
          yield* server.api("POST", "/workflows", {
            name: "Taken",
            workflow_code: "export default { run() { return 1 } }"
          })
          const place = yield* TemporaryDirectory.make("moving")
          const first = yield* headwater(place, "import", "pipedream", folder, "--yes")
          assert.match(first.stdout, /has a workflow of this name/)
          assert.match(first.stdout, /Nothing to do/)
          yield* Files.write(place, { "own/a.txt": "mine" })
          const other = yield* headwater(place, "import", "pipedream", folder, "--into", "own", "--yes")
          assert.strictEqual(other.code, 1)
          assert.match(other.stderr, /no import has made it/)
          assert.match((yield* headwater(place, "import", folder)).stderr, /headwater import pipedream/)
        }),
      240_000
    )
  }
)
