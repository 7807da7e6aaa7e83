import { Environment, mostBytes, sizeOf } from "@headwater/domain/EnvironmentVariable"
import type * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** An account, or one of its projects or programs. */
export interface EnvironmentOwner {
  readonly id: Id.AccountId | Id.ProjectId | Id.ProgramId
  readonly accountId: Id.AccountId
}

/** The variables of one owner would take more bytes than they may. */
export class EnvironmentTooLarge extends Schema.TaggedError<EnvironmentTooLarge>()("EnvironmentTooLarge", {}) {}

/** An owner whose variables were changed. */
export interface ChangedEnvironment {
  readonly ownerId: string
  /** The time of the last change, by the database's clock, in Unix microseconds. */
  readonly changedAt: bigint
}

/** The database's clock, since the nodes' clocks differ. */
const nowMicros = (sql: SqlClient.SqlClient) => sql`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

const EnvironmentText = Schema.fromJsonString(Environment)

/** Environment variables of accounts, projects and programs, sealed. */
export class EnvironmentVariables extends Context.Service<EnvironmentVariables, {
  /** Empty for an owner without any. */
  readonly of: (ownerId: string) => Effect.Effect<Environment, SqlError.SqlError | SealBroken>
  /** Adds a variable, or gives it another value. */
  readonly set: (
    owner: EnvironmentOwner,
    name: string,
    variable: { readonly value: string; readonly isSecret: boolean }
  ) => Effect.Effect<Environment, EnvironmentTooLarge | SqlError.SqlError | SealBroken>
  /** Answers whether there was such a variable. */
  readonly remove: (owner: EnvironmentOwner, name: string) => Effect.Effect<boolean, SqlError.SqlError | SealBroken>
  readonly removeAll: (ownerId: string) => Effect.Effect<void, SqlError.SqlError>
  /** Those changed within so many seconds; all without. */
  readonly changed: (
    withinSeconds: number | undefined
  ) => Effect.Effect<ReadonlyArray<ChangedEnvironment>, SqlError.SqlError>
}>()("@headwater/log/resources/EnvironmentVariables") {
  static readonly layer: Layer.Layer<EnvironmentVariables, never, SqlClient.SqlClient | Seal> = Layer.effect(
    EnvironmentVariables,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seal = yield* Seal

      const opened = Effect.fnUntraced(function*(ownerId: string, sealed: Uint8Array) {
        const text = Redacted.value(yield* seal.open(placeOf(ownerId), sealed))
        return yield* Effect.orDie(Schema.decodeEffect(EnvironmentText)(text))
      })

      const read = Effect.fnUntraced(function*(ownerId: string, isToChange: boolean) {
        const [row] = yield* sql<{ readonly variables: Uint8Array }>`
          SELECT variables FROM environments WHERE owner_id = ${ownerId} ${isToChange ? sql`FOR UPDATE` : sql``}`
        return row === undefined ? {} : yield* opened(ownerId, row.variables)
      })

      const write = Effect.fnUntraced(function*({ accountId, id }: EnvironmentOwner, environment: Environment) {
        const text = yield* Effect.orDie(Schema.encodeEffect(EnvironmentText)(environment))
        const variables = yield* seal.seal(placeOf(id), Redacted.make(text))
        yield* sql`
          INSERT INTO environments (owner_id, account_id, variables, changed_at)
          VALUES (${id}, ${accountId}, ${variables}, ${nowMicros(sql)})
          ON CONFLICT (owner_id) DO UPDATE SET variables = excluded.variables, changed_at = excluded.changed_at`
      })

      /** Two who change an owner's variables at once do so one after the other, also where there is no row yet to lock. */
      const locked = ({ id }: EnvironmentOwner) =>
        sql`SELECT pg_advisory_xact_lock(hashtextextended(${placeOf(id)}, 0))`

      return EnvironmentVariables.of({
        of: (ownerId) => read(ownerId, false),
        set: Effect.fnUntraced(function*(owner, name, variable) {
          yield* locked(owner)
          const environment = { ...yield* read(owner.id, true) }
          OwnMember.set(environment, name, {
            ...variable,
            updatedAt: Math.floor((yield* Clock.currentTimeMillis) / 1000)
          })
          if (sizeOf(environment) > mostBytes) return yield* new EnvironmentTooLarge()
          yield* write(owner, environment)
          return environment
        }, sql.withTransaction),
        remove: Effect.fnUntraced(function*(owner, name) {
          yield* locked(owner)
          const { [name]: removed, ...rest } = yield* read(owner.id, true)
          if (removed === undefined) return false
          yield* write(owner, rest)
          return true
        }, sql.withTransaction),
        removeAll: (ownerId) => Effect.asVoid(sql`DELETE FROM environments WHERE owner_id = ${ownerId}`),
        changed: (withinSeconds) =>
          Effect.map(
            sql<{ readonly owner_id: string; readonly changed_at: bigint }>`
              SELECT owner_id, changed_at FROM environments
              ${
              withinSeconds === undefined
                ? sql``
                : sql`WHERE changed_at > ${nowMicros(sql)} - ${withinSeconds} * 1000000::bigint`
            }`,
            (rows) => rows.map((row) => ({ ownerId: row.owner_id, changedAt: row.changed_at }))
          )
      })
    })
  )
}

const placeOf = (ownerId: string): string => `environments/${ownerId}`
