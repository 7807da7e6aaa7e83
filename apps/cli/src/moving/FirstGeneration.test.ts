import { assert, describe, it } from "@effect/vitest"
import * as FirstGeneration from "./FirstGeneration.ts"

const of = (
  code: string,
  params: FirstGeneration.Given["params"] = {},
  accounts: FirstGeneration.Given["accounts"] = {}
) => FirstGeneration.rewritten({ code, params, accounts })

const told = ({ findings }: FirstGeneration.Rewritten) => findings.map(({ kind, line }) => `${kind} ${line}`)

describe("a step of the first generation", () => {
  it("stays as it is within a function that has its parameters by their names", () => {
    const { findings, props, text } = of(
      "async (params, steps, auths) => {\n  // $end\n  return require(\"@pipedreamhq/platform\").axios(this, params)\n};\n",
      { url: "{{event.body.url}}/{{ steps.a.event }}/{{event}}", slack: 1, $odd: 1, list: [{ at: "{{event[0]}}" }] },
      { slack: "apn_1", none: null }
    )
    assert.deepStrictEqual(findings, [])
    assert.deepStrictEqual(props, {
      url: "{{steps.trigger.event.body.url}}/{{ steps.a.event }}/{{steps.trigger.event}}",
      slack: 1,
      list: [{ at: "{{steps.trigger.event[0]}}" }],
      slack_account: { authProvisionId: "apn_1" }
    })
    assert.strictEqual(
      text,
      `${FirstGeneration.heading}
const { step } = require("../first-generation.js")

module.exports = step({
  params: ["url","slack","list"],
  apps: [{"app":"slack","prop":"slack_account"}],
  hasCheckpoints: false,
  make({ event, steps, params, auths, $end, $respond, $send, $attachments, $checkpoint }) {
    const code =
async (params, steps, auths) => {
  // $end
  return require("@pipedream/platform").axios(this, params)
}

    return {
      run: () => code.call(this, params, steps, auths),
      checkpoint: () => $checkpoint
    }
  }
})
`
    )
  })

  it("may be a body alone, and declares what it assigns", () => {
    const { text } = of(
      "for (name of list) { total += 1; [a, { b: c = 1 }] = x }\nlet own = 1; own = 2\nreturn await total"
    )
    assert.include(text, "let a, c, name, total\n    const code =\nasync () => {\nfor (name of list)")
    assert.include(of("function (event) { return event }").text, "code.call(this, event)")
  })

  it("tells of what works otherwise, and leaves what it can't be sure of, with the line", () => {
    const odd = of("async (event) => {\n  event.a = 1\n  delete event.b\n  const body = event.body\n  $workflow.x\n}")
    assert.deepStrictEqual(told(odd), ["different 2", "different 3", "missing 5"])
    assert.isDefined(odd.text)
    for (
      const [code, line] of [
        ["async (event) => {\n  return require(name)\n}", 2],
        ["with (steps) {\n  return a\n}", 1],
        ["async (event, other) => 1", 1],
        ["async (event) => {\n  return (\n}", 3],
        ["async ({ body }) => body", 1]
      ] as const
    ) {
      const refused = of(code)
      assert.isUndefined(refused.text, code)
      assert.deepStrictEqual(told(refused), [`failed ${line}`], code)
    }
  })
})
