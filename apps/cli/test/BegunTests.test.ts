import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { ApiAccess } from "../src/access/ApiAccess.ts"
import { ComponentFiles } from "../src/code/ComponentFiles.ts"
import * as MovingRecord from "../src/moving/MovingRecord.ts"
import * as ProjectImport from "../src/moving/ProjectImport.ts"

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url))

const workflow = (trigger: string, steps: string) =>
  `schema: workflow/2022.04
triggers:
- id: ${trigger}
steps:
${steps}`

const step = (name: string, file: string, rest = "") => `- namespace: ${name}\n  uses: ./${name}/${file}\n${rest}`

const code = (body: string) => `export default defineComponent({ async run({ steps, $ }) { ${body} } })\n`

/** A project with a workflow of each kind, and what each file of it holds. */
const project = {
  "request-p_A1/workflow.yaml": workflow("hi_A", step("sum", "entry.mjs")),
  "request-p_A1/sum/entry.mjs": code("return steps.trigger.event.body.name.length"),
  "timer-p_A2/workflow.yaml": workflow(
    "ti_A",
    `${step("count", "entry.js")}- namespace: wait
  uses: delay-workflow-delay@0.0.3
  props: {delayDurationValue: 3, delayDurationUnit: Hours}
${step("last", "entry.py")}`
  ),
  "timer-p_A2/count/entry.js": code("return 2"),
  "timer-p_A2/last/entry.py": "def handler(pd):\n    return pd.steps['count']['$return_value'] + 1\n",
  "mail-p_A3/workflow.yaml": workflow("ei_A", step("read", "entry.mjs")),
  "mail-p_A3/read/entry.mjs": code("return steps.trigger.event.headers.subject"),
  "source-p_A4/workflow.yaml": workflow("dc_A", step("take", "entry.mjs")),
  "source-p_A4/take/entry.mjs": code("return steps.trigger.event.title.items.length"),
  "account-p_A5/workflow.yaml": workflow(
    "hi_B",
    step("chat", "entry.mjs", "  props: {slack: {authProvisionId: apn_A}, ds: {storeId: ds_A}}\n")
  ),
  "account-p_A5/chat/entry.mjs": `export default defineComponent({
  props: { slack: { type: "app", app: "slack" }, ds: { type: "data_store" } },
  async run() {
    const token = this.slack.$auth.oauth_access_token
    await this.ds.set("token", token)
    const answer = await fetch("https://slack.com/api/chat", { headers: { authorization: token } })
    return [process.env.SHOP, await answer.json()]
  }
})\n`,
  "sealed-p_A6/workflow.yaml": workflow("hi_C", step("charge", "entry.mjs", "  props: {key: {_enc: AAAA}}\n")),
  "sealed-p_A6/charge/entry.mjs":
    `export default defineComponent({ props: { key: "string" }, async run() { return this.key } })\n`,
  "left-p_A7/workflow.yaml": workflow("hi_D", "- namespace: first\n  runtime: go1.x\n  uses: ./first/main.go\n"),
  "left-p_A7/first/main.go": "package main\n"
}

const node = (name: string, type: string, parameters: object) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 2,
  parameters
})

const set = (name: string, value: string) =>
  node(name, "set", { assignments: { assignments: [{ id: "1", name: "size", value, type: "string" }] } })

/** A workflow with branches, and an event that is pinned to its trigger. */
const branching = {
  name: "Branching",
  nodes: [
    node("Hook", "webhook", { path: "x", httpMethod: "POST" }),
    node("Check", "if", {
      conditions: {
        combinator: "and",
        conditions: [{
          leftValue: "={{ $json.body.total }}",
          rightValue: 10,
          operator: { type: "number", operation: "gt" }
        }]
      }
    }),
    set("Large", "large"),
    set("Small", "small")
  ],
  connections: {
    Hook: { main: [[{ node: "Check", type: "main", index: 0 }]] },
    Check: { main: [[{ node: "Large", type: "main", index: 0 }], [{ node: "Small", type: "main", index: 0 }]] }
  },
  pinData: { Hook: [{ json: { headers: {}, params: {}, query: { page: "2" }, body: { total: 17 } } }] }
}

const write = async (folder: string, contents: Iterable<readonly [string, string | Uint8Array]>) => {
  for (const [path, content] of contents) {
    await Fs.mkdir(Path.dirname(Path.join(folder, path)), { recursive: true })
    await Fs.writeFile(Path.join(folder, path), content)
  }
}

/** Writes the set-up of a project, as an import does before it asks the server. */
const move = Effect.fnUntraced(function*(place: string, format: ProjectImport.Format, into: string) {
  const none = Option.none()
  const chosen = yield* ProjectImport.choose(place, format, none, none, none, MovingRecord.empty)
  const records = Object.fromEntries(
    chosen.placed.map((placed) => [placed.workflow.id, ProjectImport.recordOf(placed, undefined, {})])
  )
  yield* Effect.promise(() => write(into, ProjectImport.contentsOf(chosen, records)))
})

const runTests = (folder: string) =>
  Effect.promise(() =>
    new Promise<string>((resolve) => {
      const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env
      execFile(
        process.execPath,
        ["--test", "--test-isolation=none", "--test-reporter=tap", "workflows/*/*.test.mjs"],
        { cwd: folder, env, maxBuffer: 1e8 },
        (_, stdout, stderr) => resolve(stdout + stderr)
      )
    })
  )

const services = Layer.mergeAll(
  ComponentFiles.layer,
  ApiAccess.layerOf({ url: "http://127.0.0.1:1", apiKey: Redacted.make("none") })
).pipe(Layer.provideMerge(NodeServices.layer))

layer(services)("the tests that an import begins", (it) => {
  it.effect(
    "run and pass, for each kind of workflow, and say what a whole run yet needs",
    () =>
      Effect.gen(function*() {
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => Fs.mkdtemp("/tmp/headwater-begun-")),
          (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true, force: true }))
        )
        const moved = Path.join(folder, "moved")
        yield* Effect.promise(() =>
          write(folder, [
            ...Object.entries(project).map(([path, text]) => [`project/${path}`, text] as const),
            ["branching.json", JSON.stringify(branching)]
          ])
        )
        yield* move(Path.join(folder, "project"), "pipedream", moved)
        yield* move(Path.join(folder, "branching.json"), "n8n", moved)
        yield* Effect.promise(() => Fs.symlink(modules, Path.join(moved, "node_modules")))

        const textOf = (name: string, file = "workflow.test.mjs") =>
          Effect.promise(() => Fs.readFile(Path.join(moved, "workflows", name, file), "utf8"))
        // It asks for success where nothing can be missing, and nothing less elsewhere than a step that has run.
        assert.include(yield* textOf("timer"), `assert.equal(run.status, "success"`)
        assert.include(yield* textOf("account"), "// - credentials of an account for chat.slack")
        assert.include(yield* textOf("account"), "// - the environment variable SHOP")
        assert.include(yield* textOf("sealed"), "// - the value of charge.key, in `props`")
        assert.include(yield* textOf("left"), "// - the step first, which did not come over")
        assert.deepStrictEqual(JSON.parse(yield* textOf("request", "event.json")), {
          body: { name: "of the test" },
          headers: {},
          query: {}
        })
        const pinned = JSON.parse(yield* textOf("branching", "event.json"))
        assert.deepStrictEqual(pinned.body, { total: 17 })

        const output = yield* runTests(moved)
        for (
          const title of [
            "Branching runs",
            "account runs",
            "left runs",
            "mail runs",
            "request runs",
            "source runs",
            "timer runs",
            "sealed is taken switched off, and can't run without values that it lacks"
          ]
        ) {
          assert.match(output, new RegExp(`^ok \\d+ - ${title}$`, "m"), output)
        }
        assert.match(output, /^# fail 0$/m, output)
        assert.match(output, /^# skipped 0$/m, output)
        // The source's event has not what the code reads, and the step of the other is not here: both say so.
        assert.strictEqual(output.match(/The run ended with error/g)?.length, 2, output)
      }),
    300_000
  )
})
