import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Accounts } from "@headwater/log/access/Accounts"
import { minuteMs, wholeAccount } from "@headwater/log/commit/FigureCounts"
import { Figures, hourMs, minutesKeptMs } from "@headwater/log/commit/Figures"
import { Backlog } from "@headwater/log/work/Backlog"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as BacklogSamples from "./BacklogSamples.ts"

const start = 2 * hourMs

const services = Layer.mergeAll(Accounts.layer, Backlog.layer, Figures.layer).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

layer(services, { timeout: "60 seconds" })("samples of the backlog", (it) => {
  it.effect("show what was pending in each minute, and on average in an hour, until nothing is", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const figures = yield* Figures
      yield* TestClock.setTime(start)
      const { id: accountId } = yield* (yield* Accounts).create({
        username: "ann",
        email: "ann@example.com",
        plan: "free"
      })
      const idle = yield* (yield* Accounts).create({ username: "bob", email: "bob@example.com", plan: "free" })
      const owe = (count: number) =>
        sql`
          INSERT INTO deliveries (id, account_id, webhook_id, subscription_id, emitter_id, stream, event_id, attempts,
            state, last_at)
          SELECT 'del_' || n, ${accountId}, 'wh_a', 'sub_a', 'dc_a', '', n, 1, 'pending', 0
          FROM generate_series(1, ${count}::int) AS n`
      const { sample } = yield* BacklogSamples.make
      const series = (stepMs: number) =>
        Effect.map(
          figures.series(accountId, wholeAccount, { from: start, until: start + hourMs, stepMs }),
          (steps) =>
            steps.map(({ at, pending, samples, waiting }) => [(at - start) / minuteMs, samples, pending, waiting])
        )
      yield* owe(6)
      yield* sample
      yield* TestClock.adjust(minuteMs)
      yield* sql`DELETE FROM deliveries WHERE id <> 'del_1'`
      yield* sample
      yield* TestClock.adjust(minuteMs)
      yield* sql`DELETE FROM deliveries`
      yield* sample
      yield* TestClock.adjust(minuteMs)
      yield* sample
      yield* figures.write
      assert.deepStrictEqual(yield* series(minuteMs), [[0, 1, 6, 0], [1, 1, 1, 0], [2, 1, 0, 0]])
      assert.deepStrictEqual(
        yield* figures.series(idle.id, wholeAccount, { from: start, until: start + hourMs, stepMs: hourMs }),
        []
      )
      yield* figures.fold(start + minutesKeptMs + hourMs)
      assert.deepStrictEqual(yield* series(hourMs), [[0, 3, 7, 0]])
    }))
})
