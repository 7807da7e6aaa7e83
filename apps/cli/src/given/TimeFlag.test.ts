import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import * as TimeFlag from "./TimeFlag.ts"

it("whole seconds are taken as a short span or in words, and nothing else is", () => {
  for (const text of ["90m", "5400s", "90 minutes"]) {
    assert.deepStrictEqual(TimeFlag.secondsOf(text), Option.some(5_400), text)
  }
  for (const text of ["soon", "90", "m", "-1h"]) assert.deepStrictEqual(TimeFlag.secondsOf(text), Option.none(), text)
})
