import { assert, describe, test } from "vitest"
import { stable } from "./Snapshot.ts"

describe("stable", () => {
  test("names ids by their kinds and the order in which they come, whatever they begin with", () => {
    const run = "run_0Vbb2l8yg5robUe1Sp2C"
    assert.deepStrictEqual(
      stable({
        run,
        emits: ["x_GMJcXR1A7uYv5ecTGkoJ2a", "9TNgMJcXR1A7uYv5ecTGkoJ2"],
        text: `${run} of dc_0Vbb2lDoy1XAYNVbVM2w`,
        place: "1795000000000-0"
      }),
      { run: "<run 1>", emits: ["<emit 1>", "<emit 2>"], text: "<run 1> of <dc 1>", place: "<event 1>" }
    )
  })
})
