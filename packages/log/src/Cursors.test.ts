import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { type CursorMove, Cursors, noTally, ownRequests } from "./Cursors.ts"
import { Heads } from "./Heads.ts"

const move = (emitterId: string, from: number): CursorMove => ({
  subscriptionId: ownRequests,
  emitterId,
  from,
  to: { n: from + 1, id: BigInt(from + 1) },
  tally: { ...noTally, delivered: 1 }
})

/** Starts a second thing while the first one's transaction is open, and ends that once the second waits for it. */
const overlapping = <E, R>(first: Effect.Effect<unknown, E, R>, second: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const done = yield* Latch.make()
    const release = yield* Latch.make()
    const open = yield* Effect.forkChild(
      sql.withTransaction(first.pipe(Effect.andThen(done.open), Effect.andThen(release.await)))
    )
    yield* done.await
    const other = yield* Effect.forkChild(sql.withTransaction(second))
    yield* sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
      Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
      Effect.timeout("10 seconds")
    )
    yield* release.open
    yield* Fiber.joinAll([open, other])
  })

layer(Layer.merge(Cursors.layer, Heads.layer).pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("cursors", (it) => {
  for (const [which, before] of [["the first move", 0], ["a later move", 1]] as const) {
    for (const order of ["before", "behind"] as const) {
      it.effect(`do not come back once they went with their emitter, ${which} ${order} the removal included`, () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const cursors = yield* Cursors
          const heads = yield* Heads
          const emitterId = `dc_${order}_${before}`
          yield* sql`
            INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_test', 'a', 'a@b', 'free', 0)
            ON CONFLICT DO NOTHING`
          yield* heads.create(emitterId, "u_test")
          if (before > 0) yield* cursors.move([move(emitterId, 0)])
          const removal = Effect.andThen(heads.remove(emitterId), cursors.removeOfEmitter(emitterId))
          const moving = cursors.move([move(emitterId, before)])
          yield* order === "before" ? overlapping(moving, removal) : overlapping(removal, moving)
          assert.deepStrictEqual(yield* sql`SELECT * FROM cursors WHERE emitter_id = ${emitterId}`, [])
        }))
    }
  }
})
