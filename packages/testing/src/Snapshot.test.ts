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

  test("names endpoints, signatures and the server's address, which no two runs of a test have alike", () => {
    const hmac = `v1,${"aB+/".repeat(10)}xyz=`
    const ed25519 = `v1a,${"aB+/".repeat(21)}xy==`
    assert.deepStrictEqual(
      stable({
        url: "http://127.0.0.1:40213/http/4xZF151V-QWERTYuiop_aBcD",
        again: "POST http://127.0.0.1:33965/http/4xZF151V-QWERTYuiop_aBcD/more",
        signature: `${hmac} ${ed25519}`,
        consumer: "cns_0Vbb2lDoy1XAYNVbVM2w"
      }),
      {
        url: "http://<server>/http/<endpoint 1>",
        again: "POST http://<server>/http/<endpoint 1>/more",
        signature: "<signature 1> <signature 2>",
        consumer: "<cns 1>"
      }
    )
  })
})
