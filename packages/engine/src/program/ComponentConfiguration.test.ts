import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AdditionalProps, PropOptions } from "./ComponentConfiguration.ts"

describe("what code says of its props", () => {
  it("is read in about the time that its JSON takes, whatever that is made of", () => {
    const given = `[${"[],".repeat(1_000_000)}[]]`
    const timed = (read: (text: string) => unknown, json: string) => {
      const from = performance.now()
      read(json)
      return performance.now() - from
    }
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
