import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AdditionalProps, PropOptions } from "./ComponentConfiguration.ts"

/** How long the thread works on that, in milliseconds, whatever else the machine does meanwhile. */
const timed = (read: (text: string) => unknown, text: string) => {
  const before = process.threadCpuUsage()
  read(text)
  const { system, user } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

describe("what code says of its props", () => {
  it("is read in about the time that its JSON takes, whatever that is made of", () => {
    const given = `[${"[],".repeat(1_000_000)}[]]`
    const answers: ReadonlyArray<readonly [answer: Schema.Decoder<unknown>, json: string]> = [
      [PropOptions, `{"options":${given}}`],
      [PropOptions, `{"options":[],"context":${given}}`],
      [AdditionalProps, `[{"name":"branch","type":"string","options":${given}}]`]
    ]
    for (const [answer, json] of answers) {
      timed(JSON.parse, json)
      const parsing = Math.max(timed(JSON.parse, json), 20)
      assert.isBelow(timed(Schema.decodeUnknownSync(Schema.fromJsonString(answer)), json), 5 * parsing)
    }
  })
})
