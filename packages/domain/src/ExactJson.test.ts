import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ExactJson from "./ExactJson.ts"

/** A number as JSON writes it, in all forms. */
const number = fc.oneof(
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.tuple(fc.bigInt({ min: 1n }), fc.nat(400)).map(([digits, exponent]) => `-${digits}.5e+${exponent}`),
  fc.constantFrom("-0", "1e400", "0.1e-400", "8202522731445525542", "1.00000000000000000001")
)

const text = fc.oneof(number, fc.string().map((each) => JSON.stringify(each)))

/** What a number is: its digits without zeros around them, and how far they are from the point. */
const meaning = (json: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(json) ?? []
  const digits = (whole + fraction).replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  return `${sign}${significant}e${
    significant === "" ? 0 : Number(exponent) - fraction.length + digits.length - significant.length
  }`
}

it("writes each number again as the same one, wherever it is", () => {
  fc.assert(fc.property(fc.array(text), (texts) => {
    const json = `{"a":[${texts.join(", ")}],"__proto__":{"b":${texts[0] ?? "1"}}}`
    const written = JSON.stringify(ExactJson.parse(json))
    const numbers = (of: string) => of.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/-?\d[^,\]}\s]*/g)?.map(meaning)
    assert.deepStrictEqual(numbers(written), numbers(json))
    assert.deepStrictEqual(JSON.parse(written), JSON.parse(json))
  }))
})

it("reads numbers that JavaScript has as numbers", () => {
  for (const json of ["1", "-1.50", "0.30000000000000004", "1760000180000", "9007199254740991", "1E3"]) {
    const value = ExactJson.parse(json)
    if (json !== "1E3") assert.strictEqual(value, Number(json))
    assert.strictEqual(ExactJson.isRaw(value), json === "1E3")
  }
  assert.isTrue(ExactJson.isRaw(ExactJson.parse("9007199254740993")))
  assert.throws(() => ExactJson.parse("{9007199254740993}"), SyntaxError)
})
