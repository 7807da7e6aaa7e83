import { assert, it } from "@effect/vitest"
import { LogSampling } from "./LogSampling.ts"

const sampling = (rate: number) => {
  const written: Array<string> = []
  const sample = new LogSampling(rate, ({ fields, message }, at, standsFor) => {
    written.push(`${message} ${fields["n"]} at ${at} for ${standsFor}`)
  })
  const say = (n: number, at: number, { isFailure = false, message = "run" } = {}) =>
    sample.take({ message, isFailure, fields: { n } }, at)
  return { sample, say, written }
}

it("so many lines of a message a second are written, and one that stands for the others", () => {
  const { sample, say, written } = sampling(2)
  for (let n = 1; n <= 5; n++) say(n, n)
  say(6, 6, { message: "delivery" })
  sample.flush(900)
  assert.deepStrictEqual(written.splice(0), ["run 1 at 1 for 1", "run 2 at 2 for 1", "delivery 6 at 6 for 1"])
  say(7, 1_001)
  assert.deepStrictEqual(written.splice(0), ["run 5 at 5 for 3", "run 7 at 1001 for 1"])
  say(8, 1_001)
  say(9, 1_001)
  sample.flush(2_001)
  sample.flush(Number.POSITIVE_INFINITY)
  assert.deepStrictEqual(written, ["run 8 at 1001 for 1", "run 9 at 1001 for 1"])
})

it("failures are always written, and all lines where there is no rate", () => {
  const limited = sampling(1)
  for (let n = 1; n <= 3; n++) limited.say(n, 0, { isFailure: true })
  assert.lengthOf(limited.written, 3)
  const unlimited = sampling(0)
  for (let n = 1; n <= 100; n++) unlimited.say(n, 0)
  assert.lengthOf(unlimited.written, 100)
})

it("a clock that is set back does not silence the log", () => {
  const { say, written } = sampling(1)
  say(1, 10_000)
  say(2, 10_000)
  say(3, 2_000)
  assert.deepStrictEqual(written, ["run 1 at 10000 for 1", "run 2 at 10000 for 1", "run 3 at 2000 for 1"])
})
