import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ArchivedWorkflow from "./ArchivedWorkflow.ts"
import * as JsonFile from "./JsonFile.ts"
import * as MovedModule from "./MovedModule.ts"
import * as MovedWorkflow from "./MovedWorkflow.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (json: unknown, path = "workflows/p_1.json") =>
  ArchivedWorkflow.of(Result.getOrThrow(JsonFile.read(bytes(JSON.stringify(json, undefined, 2)))), path)

const of = (json: unknown, path?: string) => {
  const found = read(json, path)
  assert.isDefined(found)
  return MovedWorkflow.of(found!)
}

const moduleOf = (workflow: MovedWorkflow.MovedWorkflow) =>
  MovedModule.textOf(workflow, "workflows/orders", ({ key, version }) => `registry:${key}@${version ?? "new"}`)

const told = ({ findings }: MovedWorkflow.MovedWorkflow, kind: string) =>
  findings.filter((finding) => finding.kind === kind).map(({ file, line, message }) => `${file}:${line}: ${message}`)

const textOf = ({ files }: MovedWorkflow.MovedWorkflow, path: string) =>
  new TextDecoder().decode(files.find((file) => file.path === path)?.bytes)

const step = (name: string, code: string, more: object = {}) => ({
  id: `c_${name}`,
  type: "CodeCell",
  namespace: name,
  lang: "nodejs20.x",
  savedComponent: { code },
  ...more
})

const code = "export default defineComponent({ async run({ steps, $ }) { return 1 } })"

describe("a workflow of an archive", () => {
  it("understands all that the API is documented to answer", () => {
    const workflow = of({
      triggers: [
        {
          id: "hi_1",
          key: "k",
          endpoint_url: "http://old.example",
          custom_response: false,
          created_at: 1,
          updated_at: 1
        },
        {
          id: "dc_1",
          owner_id: "o_1",
          component_id: "sc_1",
          configured_props: {},
          active: true,
          created_at: 1,
          updated_at: 1,
          name: "New orders",
          name_slug: "new-orders-6"
        },
        {
          id: "ti_1",
          interval_seconds: 3_600,
          cron: null,
          timezone: "America/New_York",
          schedule_changed_at: 1,
          created_at: 1,
          updated_at: 1
        }
      ],
      steps: [
        step("code", code, {
          disabled: false,
          code_raw: null,
          codeRaw: null,
          codeConfigJson: null,
          text_raw: null,
          appConnections: [],
          flat_params_visibility_json: "{}",
          params_json: "{}",
          component: true,
          savedComponent: {
            id: "sc_2",
            code,
            codeHash: "1f",
            configurableProps: [{ name: "chat", type: "app", app: "slack" }],
            key: null,
            description: null,
            entryPath: null,
            version: "",
            apps: [{ appId: "app_1", nameSlug: "slack", authType: "oauth" }]
          },
          component_key: null,
          component_owner_id: "o_1",
          configured_props_json: "{\"intProp\":5}",
          authProvisionIdMap: { chat: "apn_1" },
          authProvisionIds: ["apn_1"]
        })
      ]
    })
    assert.strictEqual(workflow.id, "p_1")
    assert.deepStrictEqual(told(workflow, "different").filter((text) => text.includes("is not known here")), [])
    assert.notInclude(workflow.files.map(({ path }) => path), "not-understood.json")
  })

  it("has the steps and the settings of triggers that the API answers", () => {
    const workflow = of({
      data: {
        id: "p_1",
        name: "Orders of today",
        active: false,
        triggers: [
          { id: "hi_1", key: "k", endpoint_url: "https://old.example/1", custom_response: false },
          { id: "ti_1", cron: "0 9 * * *", timezone: "Europe/Berlin" },
          { id: "ti_2", interval_seconds: 900 },
          { id: "ei_1", email_address: "a@old.example" },
          { id: "dc_1", component_id: "sc_1", configured_props: { a: 1 }, active: true, name: "New orders" },
          { id: "ti_3", cron: "0 8 * * *", active: false }
        ],
        steps: [
          step("code", `${code}\n$.respond({})`, {
            configured_props_json: "{\"greeting\":\"{{steps.trigger.event.body.x}}\"}",
            authProvisionIdMap: { chat: "apn_1" },
            disabled: false
          }),
          step("send", "", {
            savedComponent: { key: "slack-send", version: "1.2.3", configurableProps: [], apps: [] },
            configured_props_json: "{\"text\":\"a\"}"
          }),
          step("py", "def handler(pd): return 1", {
            lang: "python3.12",
            savedComponent: {
              code: "def handler(pd): return 1",
              configurableProps: [{ name: "url", type: "string" }]
            }
          }),
          step("../../odd", "const a: number = 1\nexport default { run() { return a } }")
        ]
      }
    })
    assert.strictEqual(workflow.id, "p_1")
    assert.strictEqual(workflow.slug, "Orders-of-today")
    assert.isTrue(workflow.wasInactive)
    assert.isFalse(workflow.responds)
    assert.deepStrictEqual(workflow.props, {
      "code.greeting": "{{steps.trigger.event.body.x}}",
      "send.text": "a",
      timer: { cron: "0 9 * * *", timezone: "Europe/Berlin" },
      timer_2: { intervalSeconds: 900 }
    })
    assert.deepStrictEqual(workflow.accounts, { "code.chat": "apn_1" })
    assert.deepStrictEqual(workflow.endpoints, { hi_1: "https://old.example/1" })
    assert.deepStrictEqual(workflow.files.map(({ path }) => path), [
      "code/entry.js",
      "py/entry.py",
      "_odd/entry.ts"
    ])
    assert.include(moduleOf(workflow), "py: { ...py, props: { url: {\"type\":\"string\"} } }")
    assert.match(
      told(workflow, "failed").join("\n"),
      /^workflows\/p_1\.json:87: a step can't be called "..\/..\/odd"[^\n]*$/
    )
    const different = told(workflow, "different").join("\n")
    assert.match(
      different,
      /p_1\.json:7: hi_1: has another URL here in place of https:\/\/old\.example\/1\..*the answer is 200/
    )
    assert.match(different, /ti_3: was switched off there/)
    assert.match(different, /ei_1: has another address here in place of a@old\.example/)
  })

  it("answers requests as there, by the code or with the same answer", () => {
    const trigger = (custom_response: unknown) =>
      of({ id: "p_1", triggers: [{ id: "hi_1", custom_response }], steps: [step("a", code)] })
    assert.isTrue(trigger(true).responds)
    assert.deepStrictEqual(trigger({ status: 201, body: "ok", headers: { "x-a": "b" } }).props, {
      http: { response: { status: 201, body: "ok", headers: { "x-a": "b" } } }
    })
  })

  it("is read by the text of its steps of the first generation, not by what the import adds to it", () => {
    const first = (code_raw: string) =>
      of({
        id: "p_1",
        triggers: [{ id: "hi_1" }],
        steps: [{ namespace: "a", component: false, code_raw }]
      })
    const plain = first("async (event) => {\n  $checkpoint = event.order\n}")
    assert.deepStrictEqual(plain.findings.map(({ kind, line }) => [kind, line]), [["different", 4]])
    assert.deepStrictEqual(plain.props, { http: { event: "body" } })
    assert.isFalse(plain.responds)
    const more = first("async (event) => {\n  const key = process.env.KEY\n  $respond({ body: event.body })\n}")
    assert.isTrue(more.responds)
    assert.deepStrictEqual(more.props, {})
    assert.match(
      told(more, "missing").join("\n"),
      /p_1\.json#a\/original\.js\.txt:2: reads the environment variable KEY/
    )
  })

  it("has the control flow of an export as blocks", () => {
    const workflow = of({
      workflow: { id: "p_7" },
      name: "Branches",
      steps: [
        {
          name: "check",
          type: "ifElse",
          condition: { t: "and", r: [{ a: "{{steps.trigger.event.total}}", op: "num>", b: "10" }] },
          then: [step("large", code)],
          else: { steps: [step("small", code)] }
        },
        {
          name: "kind",
          config: {
            expression: "{{ steps.trigger.event.kind }}",
            cases: [{ value: "a", steps: [step("one", code)] }, { value: 2, steps: [] }],
            default: [step("other", code)]
          }
        },
        {
          name: "both",
          type: "parallel",
          branches: [{ name: "x", steps: [step("p", code)] }, { steps: [step("q", code)] }]
        },
        {
          name: "ways",
          branches: { a: { condition: "{{ true }}", steps: [step("w", code)] }, b: { steps: [step("v", code)] } }
        },
        { name: "odd", condition: "is it large?", then: [step("z", code)] }
      ]
    }, "Shop/Branches-p_7.json")
    const text = moduleOf(workflow)
    const made = new Function(
      ...[...text.matchAll(/^import (\S+) from/gm)].map(([, own]) => own!),
      text.replace(/^import .*$/gm, "").replace("export default", "return")
    )(...[..."12345678"].map((name) => ({ name }))) as { readonly steps: Record<string, Record<string, unknown>> }
    assert.deepStrictEqual(Object.keys(made.steps), ["check", "kind", "both", "ways", "odd"])
    assert.deepInclude(made.steps["check"]!, {
      if: "{{ (Number.parseFloat(String((steps.trigger.event.total))) > Number.parseFloat(String(\"10\"))) }}"
    })
    assert.deepStrictEqual(Object.keys(made.steps["check"]!["then"] as object), ["large"])
    assert.deepStrictEqual(Object.keys(made.steps["kind"]!["cases"] as object), ["2", "a"])
    assert.deepStrictEqual(Object.keys(made.steps["kind"]!["default"] as object), ["other"])
    assert.deepStrictEqual(Object.keys(made.steps["both"]!["parallel"] as object), ["x", "branch_2"])
    assert.deepStrictEqual(Object.keys(made.steps["ways"]!["branches"] as object), ["a", "b"])
    assert.throws(made.steps["odd"]!["if"] as () => void, /this condition did not come over/)
    assert.match(
      told(workflow, "failed").join("\n"),
      /Branches-p_7\.json:\d+: steps\.4: the condition is not understood/
    )
    assert.include(textOf(workflow, "not-understood.json"), "is it large?")
  })

  it("keeps what it does not understand, and tells its path", () => {
    const workflow = of({
      id: "p_1",
      steps: [step("a", code, { retry: { times: 3 } }), "odd"],
      triggers: [{ odd: true }, { id: "hi_1", token: "x" }],
      throttle: { limit: 5 }
    })
    assert.deepStrictEqual(JSON.parse(textOf(workflow, "not-understood.json")), {
      "triggers.0": { odd: true },
      "triggers.1.token": "x",
      "steps.1": "odd",
      "steps.0.retry": { times: 3 },
      throttle: { limit: 5 }
    })
    assert.match(told(workflow, "different").join("\n"), /steps\.0\.retry: is not known here/)
    assert.match(told(workflow, "failed").join("\n"), /steps\.1: is not a step/)
    assert.isUndefined(read({ a: 1 }))
    const many = of({
      id: "p_1",
      steps: [],
      ...Object.fromEntries(Array.from({ length: 103 }, (_, n) => [`k${n}`, 1]))
    })
    assert.strictEqual(told(many, "different").length, 101)
    assert.match(told(many, "different").at(-1)!, /p_1\.json:1: 3 more are not known here/)
  })

  it("is refused where its file is broken or hostile, with the line", () => {
    const refused = (text: string | Uint8Array) => {
      const result = JsonFile.read(typeof text === "string" ? bytes(text) : text)
      return Result.isFailure(result) ? result.failure : undefined
    }
    assert.match(refused("{\n\"a\": 1,\n}")![0]!.message, /is not JSON/)
    assert.strictEqual(refused("{\n\"a\": 1,\n}")![0]!.line, 3)
    assert.match(refused("")![0]!.message, /is not JSON/)
    assert.match(refused("7")![0]!.message, /neither an object nor a list/)
    assert.match(refused("[".repeat(100_000))![0]!.message, /more than 200 brackets/)
    assert.match(refused(new Uint8Array([0xff, 0xfe]))![0]!.message, /not UTF-8/)
    assert.match(refused(new Uint8Array(JsonFile.mostBytes + 1))![0]!.message, /is larger/)
    assert.isUndefined(refused(`["${"[".repeat(1_000)}", "\\"["]`))
  })
})
