import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CrashRun from "./crash/CrashRun.ts"
import * as FaultPlan from "./crash/FaultPlan.ts"

it.live(
  "a server that is killed and disturbed under load for some lives keeps every invariant",
  () =>
    Effect.gen(function*() {
      const report = yield* CrashRun.run({
        seed: 3,
        forMs: 12_000,
        leastAcked: 21,
        // On a machine that has much else to do.
        recoveryMs: 90_000,
        workers: 1,
        senders: 4,
        thinkMs: 30,
        livesBetweenSettling: 3,
        plan: FaultPlan.round(1),
        log: () => {}
      })
      assert.deepStrictEqual(report.findings, [])
      assert.isTrue(report.balanced)
      assert.isAtLeast(report.kills, 1)
      assert.isAbove(report.acked, 20)
      assert.isAbove(report.deliveries, 20)
    }),
  480_000
)
