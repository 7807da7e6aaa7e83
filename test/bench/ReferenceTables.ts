/** The tables of the reference, in a database of their own. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as Database from "./Database.ts"

export const create = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`CREATE TABLE events (id bigint PRIMARY KEY, payload text NOT NULL)`,
    sql`CREATE TABLE outbox (event_id bigint, target int, PRIMARY KEY (event_id, target))`
  )

/** Each event, an outbox row for each of its deliveries, and the end of those that are delivered: one durable statement. */
export const commit = `
  WITH completed AS (
    DELETE FROM outbox o USING unnest($4::int8[], $5::int4[]) AS d (event_id, target)
    WHERE o.event_id = d.event_id AND o.target = d.target
  ), inserted AS (
    INSERT INTO events (id, payload) SELECT * FROM unnest($1::int8[], $2::text[])
  )
  INSERT INTO outbox (event_id, target)
  SELECT e.id, t FROM unnest($1::int8[], $3::int4[]) AS e (id, fan_out), generate_series(1, e.fan_out) AS t`

/** Starts the reference, which trusts the authority and delivers to `/at-once/<1 to fan-out>` of the sink; answers where it listens. */
export const reference = {
  request: Schema.Struct({ database: Database.Address, sink: Schema.String, authority: Schema.String }),
  reply: Schema.Struct({ url: Schema.String })
}
