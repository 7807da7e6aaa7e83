/** What this Postgres takes from Node in multi-row inserts and nothing else, one statement after the other. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import * as Database from "./Database.ts"
import { inserts } from "./InsertsCall.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as Program from "./Program.ts"

const statement = "INSERT INTO inserts (id, payload) SELECT * FROM unnest($1::int8[], $2::text[])"

Program.serve(inserts, ({ bytes, database, rowsAtOnce, seconds }) => {
  const payload = "x".repeat(bytes)
  let id = 0n

  const insert = (session: PgConnection.PgConnection) =>
    Effect.suspend(() => {
      const ids = Array.from({ length: rowsAtOnce }, () => ++id)
      return session.query(statement, [
        Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.int8)),
        Result.getOrThrow(PgTypes.array(ids.map(() => payload), PgTypes.OID.text))
      ])
    })

  return Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const session = yield* PgConnection.make(Database.config(database))
    yield* session.query("DROP TABLE IF EXISTS inserts")
    yield* session.query("CREATE TABLE inserts (id bigint PRIMARY KEY, payload text NOT NULL)")
    const start = MonotonicClock.now()
    yield* Effect.repeat(insert(session), { while: () => MonotonicClock.now() < start + seconds * 1000 })
    return { rowsPerSecond: Number(id) / (MonotonicClock.now() - start) * 1000 }
  })))
})
