import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Heads } from "../logs/Heads.ts"
import { Journals } from "../logs/Journals.ts"
import { type CursorChange, Cursors, noTally, ownRequests } from "./Cursors.ts"

const move = (emitterId: string): CursorChange => ({
  subscriptionId: ownRequests,
  emitterId,
  to: { n: 1, id: 1n },
  tally: { ...noTally, delivered: 1 }
})

/** Runs a second thing while the first one's transaction is open, which ends once the second waits for it or is done. */
const overlapping = <E, R>(
  first: Effect.Effect<unknown, E, R>,
  second: Effect.Effect<unknown, E, R>,
  waits: boolean
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const done = yield* Latch.make()
    const release = yield* Latch.make()
    const open = yield* Effect.forkChild(
      sql.withTransaction(first.pipe(Effect.andThen(done.open), Effect.andThen(release.await)))
    )
    yield* done.await
    const other = yield* Effect.forkChild(sql.withTransaction(second))
    yield* waits ?
      sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
        Effect.timeout("60 seconds")
      ) :
      Fiber.await(other)
    yield* release.open
    yield* Fiber.joinAll([open, other])
  })

layer(Layer.mergeAll(Cursors.layer, Heads.layer, Journals.layer).pipe(Layer.provideMerge(TestDatabase.layer)), {
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
          const first = Effect.andThen(cursors.begin([move(emitterId)]), cursors.move([move(emitterId)]))
          if (before > 0) yield* first
          const removal = Effect.andThen(heads.remove(emitterId), cursors.removeOfEmitter(emitterId))
          const moving = before > 0 ? cursors.move([move(emitterId)]) : first
          yield* order === "before"
            ? overlapping(moving, removal, before === 0)
            : overlapping(removal, moving, before === 0)
          assert.deepStrictEqual(yield* sql`SELECT * FROM cursors WHERE emitter_id = ${emitterId}`, [])
          yield* (yield* Journals).foldCursors([move(emitterId)])
          assert.deepStrictEqual(yield* sql`SELECT * FROM cursors_journal WHERE emitter_id = ${emitterId}`, [])
        }))
    }
  }
})
