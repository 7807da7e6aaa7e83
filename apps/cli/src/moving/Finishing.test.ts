import { assert, describe, it } from "@effect/vitest"
import * as Finishing from "./Finishing.ts"

describe("what a workflow that was moved is given", () => {
  it("goes into files only where a prop is known to be no secret", () => {
    const props = [{ name: "a.text", type: "string" }, { name: "a.key", type: "string", secret: true }]
    assert.deepStrictEqual([...Finishing.secretsAmong(["a.text", "a.key", "a.added"], props)], ["a.key", "a.added"])
  })
})
