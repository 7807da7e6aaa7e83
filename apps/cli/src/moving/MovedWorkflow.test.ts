import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import * as MovedModule from "./MovedModule.ts"
import type { MovedStep } from "./MovedSteps.ts"
import * as MovedWorkflow from "./MovedWorkflow.ts"
import * as WorkflowFile from "./WorkflowFile.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** A workflow of a folder with these files. */
const of = (yaml: string, files: Readonly<Record<string, string>> = {}) =>
  MovedWorkflow.of({
    id: "p_1",
    folder: "shop/orders-p_1",
    slug: "orders",
    file: Result.getOrThrow(WorkflowFile.readWorkflow(bytes(`schema: workflow/2022.04\n${yaml}`))),
    files: Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) })),
    findings: []
  })

const moduleOf = (workflow: MovedWorkflow.MovedWorkflow) =>
  MovedModule.textOf(
    workflow,
    "workflows/orders",
    ({ key, version }) => version === undefined ? `actions/${key}.mjs` : `registry:${key}@${version}`
  )

const told = ({ findings }: MovedWorkflow.MovedWorkflow, kind: string) =>
  findings.filter((finding) => finding.kind === kind).map(({ file, line, message }) => `${file}:${line}: ${message}`)

const code = "export default defineComponent({ async run({ steps, $ }) { return 1 } })"

describe("a workflow of a project", () => {
  it("becomes a module that imports each step from its file", () => {
    const workflow = of(
      [
        "name: Orders",
        "triggers:",
        "- id: hi_1",
        "- id: ti_1",
        "- id: ti_2",
        "- id: ei_1",
        "- id: dc_1",
        "steps:",
        "- namespace: code",
        "  uses: ./code/entry.js",
        "  note: |",
        "    Takes it",
        "    */ apart",
        "- namespace: odd name",
        "  uses: ./odd name/entry.mjs",
        "  disabled: true",
        "- namespace: send",
        "  uses: slack-send@1.2.3",
        "  props: { text: a }",
        "- namespace: newest",
        "  uses: shop-order",
        "- namespace: class",
        "  uses: \"@team/my-action@0.0.7\"",
        "- namespace: py",
        "  runtime: python3.12",
        "  uses: ./py/handler.py",
        "  props: { slack: { authProvisionId: apn_1 } }"
      ].join("\n"),
      { "code/entry.js": code, "odd name/entry.mjs": code, "py/handler.py": "def handler(pd): pass" }
    )
    assert.strictEqual(
      moduleOf(workflow),
      `// Moved from shop/orders-p_1 (p_1)
import code from "./code/entry.js"
import odd_name from "./odd name/entry.mjs"
import send from "registry:slack-send@1.2.3"
import newest from "../../actions/shop-order.mjs"
import class_ from "registry:my-action@0.0.7"
import py from "./py/handler.py"

export default {
  name: "Orders",
  props: {
    http: "$.interface.http",
    timer: "$.interface.timer",
    timer_2: "$.interface.timer",
    email: "$.interface.email"
  },
  steps: {
    // Takes it
    // */ apart
    //
    code,
    "odd name": { ...odd_name, disabled: true },
    send,
    newest,
    class: class_,
    py: { ...py, props: { slack: {"type":"app","app":"slack"} } }
  }
}
`
    )
    assert.deepStrictEqual(workflow.props, { "send.text": "a" })
    assert.deepStrictEqual(workflow.accounts, { "py.slack": "apn_1" })
    assert.deepStrictEqual(told(workflow, "failed"), [])
  })

  it("has the service's own steps as this server's", () => {
    const workflow = of(
      [
        "steps:",
        "- namespace: wait",
        "  uses: delay-workflow-delay@0.0.3",
        "  props: { delayDurationValue: \"5\", delayDurationUnit: Minutes }",
        "- namespace: longer",
        "  uses: delay-workflow-delay",
        "  props: { delayDurationValue: \"{{steps.wait.x}}\", delayDurationUnit: Hours }",
        "- namespace: only",
        "  uses: ./only/entry.js",
        "  props: { _filter: { continue: true, rules: { t: and, r: [{ a: \"{{steps.wait.x}}\", op: str/, b: x }] } } }",
        "- namespace: answer",
        "  uses: http-return-http-response@0.0.3",
        "  props: { resStatusCode: 201, http: { authProvisionId: apn_9 } }",
        "- namespace: goes",
        "  uses: filter-end-workflow-condition@0.0.1",
        "  props: { condition: TEXT_EQUALS, operand1: a, operand2: b }"
      ].join("\n")
    )
    const text = moduleOf(workflow)
    assert.include(text, "wait: { delay: 300000 }")
    assert.include(text, "longer: { delay: \"{{ Number(steps.wait.x) * 3600000 }}\" }")
    assert.include(text, "only: filterRules")
    assert.include(text, "answer: respond")
    assert.include(text, "goes: condition")
    assert.deepStrictEqual(workflow.props, {
      "only.filter": { continue: true, rules: { t: "and", r: [{ a: "{{steps.wait.x}}", op: "str/", b: "x" }] } },
      "answer.resStatusCode": 201,
      "goes.condition": "TEXT_EQUALS",
      "goes.operand1": "a",
      "goes.operand2": "b",
      "goes.endsRun": true
    })
    assert.deepStrictEqual(workflow.accounts, {})
    assert.isTrue(workflow.responds)
  })

  it("tells of each value that a step of this server's does not take", () => {
    const workflow = of(
      [
        "steps:",
        "- namespace: goes",
        "  uses: filter-continue-workflow-condition",
        "  props:",
        "    condition: TEXT_EQUALS",
        "    operand1: \"{{ steps.later.x }}\"",
        "    operand2: { _enc: x }",
        "- namespace: answer",
        "  uses: http-return-http-response@0.0.3",
        "  props:",
        "    _enc: { resBody: x }",
        "- namespace: ends",
        "  uses: filter-end-workflow-execution",
        "  props: { reason: \"{{ steps. }}\" }",
        "- namespace: mail",
        "  uses: email-send-email-to-self",
        "  props:",
        "    subject: a",
        "    include_collaborators: true",
        "    token: { _enc: x }",
        "- namespace: only",
        "  uses: ./only/entry.js",
        "  props:",
        "    _filter: { rules: { t: and, r: [] } }",
        "    list: a",
        "- namespace: off",
        "  uses: http-return-http-response@0.0.3",
        "  disabled: true",
        "  props: { resBody: { _enc: x } }",
        "- namespace: later",
        "  uses: ./later/entry.js"
      ].join("\n"),
      { "later/entry.js": code }
    )
    assert.deepStrictEqual(workflow.steps.map(({ code, name }) => [name, code._tag]), [
      ["goes", "Left"],
      ["answer", "Left"],
      ["ends", "Left"],
      ["mail", "BuiltIn"],
      ["only", "BuiltIn"],
      ["off", "BuiltIn"],
      ["later", "File"]
    ])
    assert.deepStrictEqual(workflow.props, { "mail.subject": "a", "only.filter": { rules: { t: "and", r: [] } } })
    const places = (kind: string) =>
      told(workflow, kind).map((text) => /workflow\.yaml:(\d+): (\S+?): /.exec(text)?.slice(1).join(" "))
    assert.sameMembers(places("failed"), ["7 goes.operand1", "8 goes.operand2", "11 answer.resBody", "15 ends.reason"])
    assert.includeMembers(places("different"), ["20 mail.include_collaborators", "21 mail.token", "26 only.list"])
  })

  it("has no props of steps that are switched off, and names them", () => {
    const workflow = of(
      [
        "steps:",
        "- namespace: off",
        "  uses: ./off/entry.js",
        "  disabled: true",
        "  props:",
        "    text: a",
        "    slack: { authProvisionId: apn_1 }",
        "    store: { storeId: ds_1 }",
        "    odd: \"{{ steps. }}\"",
        "    key: { _enc: x }"
      ].join("\n"),
      { "off/entry.js": code }
    )
    const { accounts, props, refused, stores } = workflow
    assert.deepStrictEqual([accounts, props, refused, stores], [{}, {}, {}, {}])
    assert.deepStrictEqual(workflow.findings.map(({ kind, line }) => [kind, line]), [["different", 6]])
    assert.match(workflow.findings[0]!.message, /^off is switched off, .* text, store, slack, odd, key when/)
  })

  it("fails at steps that can't be brought, and says on which line", () => {
    const workflow = of(
      [
        "steps:",
        "- namespace: a",
        "  uses: ../../../etc/passwd",
        "- namespace: b",
        "  uses: ./gone/entry.js",
        "- namespace: c",
        "  uses: ./c/entry.js",
        "- namespace: c",
        "  uses: ./c/entry.js",
        "- namespace: \"7\"",
        "  uses: ./c/entry.js",
        "- namespace: a.b",
        "  uses: ./c/entry.js",
        "- namespace: a_b",
        "  uses: ./c/entry.js",
        "- namespace: trigger",
        "  uses: ./c/entry.js",
        "  disabled: true",
        "- namespace: d",
        "  uses: \"a b\"",
        "- namespace: e",
        "  runtime: go1.x",
        "  uses: ./e/main.go",
        "- namespace: f",
        "  uses: ./f/entry.js",
        "  props: { _filter: { rules: { t: and, r: [{ a: 1, op: odd, b: 2 }] } } }"
      ].join("\n"),
      { "c/entry.js": code, "e/main.go": "package main" }
    )
    assert.deepStrictEqual(workflow.steps.map(({ code, name }) => [name, code._tag]), [
      ["a", "Left"],
      ["b", "Left"],
      ["c", "File"],
      ["c_2", "Left"],
      ["step_7", "Left"],
      ["a_b_2", "Left"],
      ["a_b", "File"],
      ["d", "Left"],
      ["e", "Left"],
      ["f", "BuiltIn"]
    ])
    assert.include(moduleOf(workflow), "a: { run() { throw new Error(")
    const lines = told(workflow, "failed").map((text) =>
      /^shop\/orders-p_1\/workflow\.yaml:(\d+): (\S+)/.exec(text)?.slice(1)
    )
    assert.deepInclude(lines, ["4", "a:"])
    assert.deepInclude(lines, ["6", "b:"])
    assert.deepInclude(lines, ["9", "another"])
    assert.deepInclude(lines, ["11", "a"])
    assert.deepInclude(lines, ["13", "a"])
    assert.deepInclude(lines, ["21", "d:"])
    assert.deepInclude(lines, ["23", "e:"])
    assert.match(told(workflow, "missing").join("\n"), /the operators odd are not known/)
  })

  it("reads settings, variables and the shape of events", () => {
    const workflow = of(
      [
        "inactive: true",
        "speed: 1",
        "settings: { error_notification: false, lambda_timeout: 600, lambda_memory: 1024, network: vpc_1 }",
        "triggers: [{ id: hi_1 }, { id: xx_1 }, { id: sub_1 }]",
        "steps: [{ namespace: a, uses: ./a/entry.js }]"
      ].join("\n"),
      {
        "a/entry.js":
          `${code}\nprocess.env.SHOP_KEY; steps.trigger.event.order; $.respond({})\n$.send.s3({})\nx-pd-nostore pipedream_upload_body`
      }
    )
    assert.strictEqual(workflow.timeoutSeconds, 300)
    assert.deepStrictEqual(workflow.variables, ["SHOP_KEY"])
    assert.deepStrictEqual(workflow.props, { http: { event: "body" } })
    assert.isTrue(workflow.responds)
    assert.isTrue(workflow.wasInactive)
    assert.include(moduleOf(workflow), "http: { type: \"$.interface.http\", customResponse: true }")
    assert.deepStrictEqual(told(workflow, "failed").map((text) => /:5: (\w+)/.exec(text)?.[1]), ["xx_1"])
    const missing = told(workflow, "missing").join("\n")
    assert.match(missing, /a\/entry\.js:2: reads the environment variable SHOP_KEY/)
    assert.match(missing, /a\/entry\.js:3: \$\.send\.s3 takes keys of your own: set AWS_ACCESS_KEY_ID/)
    const different = told(workflow, "different").join("\n")
    assert.match(different, /a\/entry\.js:4: x-pd-nostore erases a run when it has ended/)
    assert.notMatch(different, /upload_body/)
    assert.match(different, /1024 MB: .*`memory_mb`, 128 to 16384/)
    assert.match(missing, /workflow\.yaml:5: sub_1/)
    assert.strictEqual(told(workflow, "different").filter((text) => /yaml:4: /.test(text)).length, 4)
  })

  it("becomes a module that JavaScript reads, whatever its steps are called", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.uniqueArray(FastCheck.string({ minLength: 1, unit: "binary", maxLength: 12 }), { maxLength: 6 }),
      FastCheck.string({ unit: "binary" }),
      (names, note) => {
        const file = "steps: []"
        const workflow = of(file)
        const steps = names.map((name, index): MovedStep => ({
          index,
          name,
          code: { _tag: "File", path: "a/entry.js" },
          disabled: false,
          notes: [note],
          declared: [{ name, declaration: { type: "any" } }],
          line: 1
        }))
        const text = moduleOf({ ...workflow, name: note, steps })
        const body = text.replace(/^import \w+ from "[^"]*"$/gm, "").replace("export default", "return")
        const made = new Function("a", ...[...text.matchAll(/^import (\S+) from/gm)].map(([, own]) => own!), body)(
          {},
          {}
        ) as {
          readonly steps: object
        }
        assert.deepStrictEqual(Object.keys(made.steps).sort(), [...names].sort())
      }
    ))
  })
})
