import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"

const login = { username: Schema.String, password: Schema.String, database: Schema.String }
/** A database of the server's Postgres, as plain values that cross to another process. */
export const Address = Schema.Union([
  Schema.Struct({ path: Schema.String, ...login }),
  Schema.Struct({ host: Schema.String, port: Schema.Int, ...login })
])
export type Address = typeof Address.Type

/** What a client of it is made from. */
export const config = ({ password, ...address }: Address) => ({
  ...address,
  password: Redacted.make(password),
  startupParameters: { synchronous_commit: "on" }
})

/** One connection to it. */
export const client = (address: Address): Effect.Effect<PgClient.PgClient, SqlError.SqlError, Scope.Scope> =>
  PgClient.makeClient(config(address)).pipe(Effect.provide(Reactivity.layer))
