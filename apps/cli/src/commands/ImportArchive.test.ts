import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"

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
  }
)
