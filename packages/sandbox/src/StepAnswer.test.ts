import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as StepAnswer from "./StepAnswer.ts"

/** How long the thread works on that, in milliseconds, whatever else the machine does meanwhile. */
const timed = (read: (text: string) => unknown, text: string) => {
  const before = process.threadCpuUsage()
  read(text)
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

describe("what a step answers", () => {
  it("is read in about the time that its JSON takes, whatever that is made of", () => {
    const given = `[${"[],".repeat(500_000)}[]]`
    const json = `{"result":{"$return_value":${given}},"flow":{}}`
    timed(JSON.parse, json)
    const parsing = Math.max(timed(JSON.parse, json), 20)
    assert.isBelow(timed(StepAnswer.decode, json), 5 * parsing)
  })

  it("keeps every key of it, and is refused where it is not what steps answer", () => {
    const result = `{"$return_value":{"__proto__":{"a":1},"constructor":2}}`
    const answer = Option.getOrThrow(StepAnswer.decode(`{"result":${result},"flow":{}}`))
    assert.strictEqual(JSON.stringify(answer.result), result)
    for (
      const json of [
        undefined,
        "null",
        `{"result":[],"flow":{}}`,
        `{"result":{},"flow":{"delay":-1}}`,
        `{"result":{},"flow":{"delay":1e99}}`,
        `{"result":{},"flow":{"rerun":{"delay":0}}}`,
        `{"result":{"deep":${"[".repeat(600)}${"]".repeat(600)}},"flow":{}}`
      ]
    ) assert.isTrue(Option.isNone(StepAnswer.decode(json)), json)
  })
})
