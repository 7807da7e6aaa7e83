import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** The numbers of actors of each kind that a node has in memory. */
export interface HeldActors {
  readonly programs: number
  readonly webhooks: number
  readonly consumers: number
  readonly accounts: number
}

/** One process that runs actors. */
export interface Node {
  /** Of this run of it alone. */
  readonly id: string
  /** Among the workers of its machine, from 1; null where it is one process. */
  readonly worker: number | null
  readonly version: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly held: HeldActors
}

export interface SeenNode extends Node {
  /** The time at which it last said that it is there, in Unix milliseconds. */
  readonly seenAt: number
}

/** A node that has not said for so long that it is there is gone, in milliseconds. */
export const goneAfterMs = 30_000

/** The `nodes` table: who shares the database, as far as they say so. Actors are not placed by it. */
export class Nodes extends Context.Service<Nodes, {
  /** Says that a node is there at a time, in Unix milliseconds, and forgets those that are gone. */
  readonly see: (node: Node, now: number) => Effect.Effect<void, SqlError.SqlError>
  readonly remove: (id: string) => Effect.Effect<void, SqlError.SqlError>
  /** Those that are there at a time, in the order in which they were started. */
  readonly present: (now: number) => Effect.Effect<ReadonlyArray<SeenNode>, SqlError.SqlError>
}>()("@headwater/log/database/Nodes") {
  static readonly layer: Layer.Layer<Nodes, never, SqlClient.SqlClient> = Layer.effect(
    Nodes,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Nodes.of({
        see: ({ held, id, startedAt, version, worker }, now) =>
          Effect.andThen(
            sql`
              INSERT INTO nodes (id, worker, version, started_at, seen_at, programs, webhooks, consumers, accounts)
              VALUES (${id}, ${worker}, ${version}, ${startedAt}, ${now}, ${held.programs}, ${held.webhooks},
                ${held.consumers}, ${held.accounts})
              ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, programs = excluded.programs,
                webhooks = excluded.webhooks, consumers = excluded.consumers, accounts = excluded.accounts`,
            Effect.asVoid(sql`DELETE FROM nodes WHERE seen_at < ${now - 10 * goneAfterMs}`)
          ),
        remove: (id) => Effect.asVoid(sql`DELETE FROM nodes WHERE id = ${id}`),
        present: (now) =>
          Effect.map(
            sql<{
              readonly id: string
              readonly worker: number | null
              readonly version: string
              readonly started_at: bigint
              readonly seen_at: bigint
              readonly programs: number
              readonly webhooks: number
              readonly consumers: number
              readonly accounts: number
            }>`SELECT * FROM nodes WHERE seen_at >= ${now - goneAfterMs} ORDER BY started_at, id`,
            (rows) =>
              rows.map((row) => ({
                id: row.id,
                worker: row.worker,
                version: row.version,
                startedAt: Number(row.started_at),
                seenAt: Number(row.seen_at),
                held: {
                  programs: row.programs,
                  webhooks: row.webhooks,
                  consumers: row.consumers,
                  accounts: row.accounts
                }
              }))
          )
      })
    })
  )
}
