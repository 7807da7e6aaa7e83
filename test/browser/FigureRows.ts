import { PgClient } from "@effect/sql-pg"
import { type CountName, countNames } from "@headwater/log/commit/FigureCounts"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { ServerProcess } from "../ServerProcess.ts"

/** The figures of one minute. */
export interface FigureRow {
  /** An emitter or listener, or the account as a whole. */
  readonly subject: string
  /** In Unix milliseconds. */
  readonly at: number
  readonly counts: Partial<Readonly<Record<CountName, number>>>
  /** The numbers of attempts by their duration, in the buckets of `latencyBounds` and one more. */
  readonly latencies: ReadonlyArray<number>
}

/** Writes what would have been counted in the past of the first account straight into the tables of a server that runs. */
export const write = Effect.fnUntraced(
  function*({ dataDirectory, database }: ServerProcess, rows: ReadonlyArray<FigureRow>) {
    const sql = yield* PgClient.makeClient(
      database === undefined
        ? yield* Effect.provide(EmbeddedPostgres.attach, DataDirectory.layer(dataDirectory))
        : { url: Redacted.make(database) }
    )
    const columns = sql.literal(countNames.join(", "))
    const [account] = yield* sql<{ readonly id: string }>`SELECT id FROM accounts ORDER BY created_at LIMIT 1`
    for (const { at, counts, latencies, subject } of rows) {
      yield* sql`
        INSERT INTO figures_minutes (account_id, subject_id, at, latencies, ${columns}) VALUES (
          ${account!.id}, ${subject}, ${at - at % 60_000}, ${`{${latencies.join()}}`}::int[],
          ${sql.csv(countNames.map((name) => sql`${counts[name] ?? 0}::bigint`))}
        ) ON CONFLICT DO NOTHING`
    }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
