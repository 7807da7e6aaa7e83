import { assert, it } from "@effect/vitest"
import { briefLine } from "./Logging.ts"

const delivery = {
  message: "delivery",
  isFailure: true,
  fields: {
    account_id: "u_0VcJ7lMq4YIaF5yfVIqA",
    webhook_id: "wh_0VcJ8FOQanTEKnnLbPBE",
    event_id: "1795903067109-0",
    outcome: "failed",
    status: undefined,
    error: "connect \u001b[2J\u009b2JECONNREFUSED\n127.0.0.1:9000",
    duration_ms: 61
  }
}

it("a run or a delivery takes one line of a terminal, however narrow that is", () => {
  const at = new Date(2026, 10, 28, 21, 57, 47)
  assert.strictEqual(
    briefLine(delivery, at, Number.POSITIVE_INFINITY),
    "21:57:47  WARN  delivery  1795903067109-0  wh_0VcJ8FOQanTEKnnLbPBE  failed  61 ms  connect [2J 2JECONNREFUSED 127.0.0.1:9000"
  )
  const narrow = briefLine(delivery, at, 40)
  assert.lengthOf(narrow, 40)
  assert.match(narrow, /^21:57:47 {2}WARN {2}delivery {2}1795903067109…$/)
})
