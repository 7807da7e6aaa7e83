import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as FastCheck from "fast-check"
import * as Expression from "./Expression.ts"

const steps = {
  trigger: { event: { name: "Ann", tags: ["a", "b"], "odd name": 1 } },
  order: { $return_value: { total: 30, lines: [{ sku: "x" }] } }
}

const partsOf = (text: string) => Result.getOrThrow(Expression.read(text))

const evaluate = ({ code }: { readonly code: string }, given: unknown = steps): unknown =>
  new Function("steps", "$", `"use strict"; return (\n${code}\n)`)(given, { context: { id: "run" } })

/** The values of a text's expressions, and its other parts. */
const valuesOf = (text: string): ReadonlyArray<unknown> | undefined =>
  partsOf(text)?.map((part) => typeof part === "string" ? part : [evaluate(part)])

const faultOf = (text: string): Expression.ExpressionFault | undefined =>
  Result.match(Expression.read(text), { onFailure: (fault) => fault, onSuccess: () => undefined })

describe("an expression", () => {
  for (
    const [text, expected] of [
      ["{{steps.trigger.event.name}}", [["Ann"]]],
      ["Hello {{ steps.trigger.event.name }}!", ["Hello ", ["Ann"], "!"]],
      ["{{ {a: {b: steps.order.$return_value.total}} }}", [[{ a: { b: 30 } }]]],
      [`{{ "}}" + steps.trigger.event.name + '}}' }}`, [["}}Ann}}"]]],
      ["{{ `}}${ {a: 1}.a }` }}", [["}}1"]]],
      ["{{ steps.trigger.event.tags.map((tag) => { return tag.toUpperCase() }).join() }}", [["A,B"]]],
      [`{{ steps.trigger.event["odd name"] }}`, [[1]]],
      ["{{ /}}/.test('}}') // a }} comment\n}}", [[true]]],
      [`{"a": {"b": {{steps.order.$return_value.total}}}}`, [`{"a": {"b": `, [30], "}}"]],
      ["{{ $.context.id }}-{{ new Date(0).toISOString() }}", [["run"], "-", ["1970-01-01T00:00:00.000Z"]]],
      [`{{ "{{name}}" }}`, [["{{name}}"]]],
      ["{{ (steps.order).$return_value.lines[0].sku }}", [["x"]]],
      ["{{ Object.assign(steps, {}).trigger.event.name }}", [["Ann"]]]
    ] as const
  ) {
    it(`is cut out where it ends: ${text}`, () => {
      assert.deepStrictEqual(valuesOf(text), expected as ReadonlyArray<unknown>)
    })
  }

  for (
    const text of [
      "",
      "plain",
      "{}",
      "a {{ b",
      "{{}}",
      "{{ }}",
      "{{#if name}}yes{{/if}}",
      "{{> part }}",
      "{{ a b }}",
      "}}{{"
    ]
  ) {
    it(`is not seen in ${JSON.stringify(text)}, which stays as it is`, () => {
      assert.isUndefined(partsOf(text))
    })
  }

  for (
    const [text, message] of [
      ["{{ steps. }}", /Unexpected token/],
      ["{{ steps.a.b + }}", /Unexpected token/],
      ["{{{ steps.a }}}", /Unexpected token/],
      ["{{ await steps.a }}", /expected }}|Unexpected token/],
      ["{{ name }}", /there is no name: an expression has steps.*"{{ name }}"/],
      ["Dear {{customer.first}}", /there is no customer/]
    ] as const
  ) {
    it(`is refused by name where it has a mistake: ${text}`, () => {
      assert.match(faultOf(text)?.message ?? "", message)
    })
  }

  it("is refused where it speaks of its own step or of a later one, not of one that there is not", () => {
    const names = ["first", "second", "third"]
    const faultIn = (value: unknown) => Expression.faultIn(value, names, "second")?.message
    assert.isUndefined(faultIn({ deep: ["{{ steps.first.a }}", "{{ steps.gone.a }}", "{{ steps.trigger.event }}"] }))
    assert.strictEqual(faultIn({ deep: ["{{ steps.second.a }}"] }), "second is the step itself")
    assert.strictEqual(faultIn({ deep: [`{{ 1 + [steps["third"]].length }}`] }), "the step third comes later")
  })

  it("has undefined for every path that leads nowhere, and its value for each that leads somewhere", () => {
    const key = FastCheck.constantFrom("a", "b", "c", "0", "length")
    const value = FastCheck.letrec((tie) => ({
      value: FastCheck.oneof(
        { depthSize: "small" },
        FastCheck.constantFrom(null, 0, "", "text", true),
        FastCheck.array(tie("value"), { maxLength: 3 }),
        FastCheck.dictionary(FastCheck.constantFrom("a", "b", "c"), tie("value"))
      )
    })).value
    const followed = (from: unknown, path: ReadonlyArray<string>): unknown =>
      path.reduce((at: unknown, name) => at === null || at === undefined ? undefined : (at as never)[name], from)
    FastCheck.assert(
      FastCheck.property(value, FastCheck.array(key, { maxLength: 4 }), FastCheck.boolean(), (first, path, dotted) => {
        const written = path.map((name) => dotted && /^[a-z]+$/.test(name) ? `.${name}` : `[ ${JSON.stringify(name)} ]`)
          .join("")
        const [part] = partsOf(`{{ steps.first${written} }}`)!
        assert.deepStrictEqual(evaluate(part as never, { first }), followed(first, path))
      })
    )
  })

  it("is cut out of any text without changing what is around it", () => {
    const word = FastCheck.constantFrom("{", "}", "{{", "}}", `"`, "steps.a", " ", "x", "`", "/*", "(", "\n")
    FastCheck.assert(
      FastCheck.property(FastCheck.array(word, { maxLength: 12 }), (words) => {
        const text = words.join("")
        const read = Expression.read(text)
        if (Result.isFailure(read) || read.success === undefined) return
        const written = read.success.map((part) => typeof part === "string" ? part : part.source)
        let at = 0
        for (const each of written) {
          at = text.indexOf(each, at)
          assert.isAtLeast(at, 0)
          at += each.length
        }
        const around = text.length - written.join("").length
        const expressions = read.success.filter((part) => typeof part !== "string").length
        assert.isAtLeast(around, 4 * expressions)
      }),
      { numRuns: 2_000 }
    )
  })

  it("is looked for in a time that grows with the text, whatever that is made of", () => {
    for (const piece of ["{{", "{{[", "{{ `", "{{ steps.a + ", "{{ /*", `{{ "`]) {
      const text = piece.repeat(20_000)
      const read = Expression.read(text)
      assert.isTrue(Result.isFailure(read) || read.success === undefined, piece)
    }
  })
})
