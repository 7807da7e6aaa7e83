import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { type Digest, SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as HashedSecret from "../internal/HashedSecret.ts"

/** The secrets of a connection until it ends: the way to the token, a step further each time. */
const Secrets = Schema.Union([
  /** The user is at the provider. */
  Schema.TaggedStruct("Asked", { verifier: Schema.String }),
  /** The user came back with a code. */
  Schema.TaggedStruct("Allowed", { verifier: Schema.String, code: Schema.String }),
  /** The user is to enter a code at the provider. */
  Schema.TaggedStruct("Device", { deviceCode: Schema.String, intervalMs: Schema.Int })
])
export type ConnectionSecrets = typeof Secrets.Type

const SecretsText = Schema.fromJsonString(Secrets)

/** A connection to begin. Times are in Unix milliseconds. */
export interface NewConnection {
  readonly appAccountId: string
  /** The key or the session that begins it, and that alone can end it. */
  readonly access: string
  readonly secrets: ConnectionSecrets
  /** The place to which the user's browser goes in the end; null for none. */
  readonly returnTo: string | null
  readonly expiresAt: number
}

/** The connection of a user who came back. */
export interface Returned {
  readonly appAccountId: string
  readonly returnTo: string | null
}

/** The access to a connection that ends it. */
export interface ConnectionKey {
  readonly appAccountId: string
  readonly access: string
  readonly confirmation: Redacted.Redacted
}

/** Connections under way of an account with an app. One more ends the oldest. */
const most = 20

/** Bytes of a state and of a confirmation. */
const secretBytes = 32

/**
 * The `oauth_connections` table. A state goes to the provider and comes back with the user, once. A confirmation then goes to the
 * user's browser, and who began the connection ends it with that: a stranger who has a user follow a link of his gets none.
 */
export class OAuthConnections extends Context.Service<OAuthConnections, {
  /** Begins a connection. Its state is also the confirmation of a device's. Undefined where the account is gone. */
  readonly begin: (
    connection: NewConnection,
    now: number
  ) => Effect.Effect<Redacted.Redacted | undefined, SqlError.SqlError>
  /**
   * Takes the code with which a user came back, and gives the confirmation. Undefined where no connection waits for it: it is
   * over, or has a code.
   */
  readonly arrive: (
    state: Redacted.Redacted,
    code: string,
    now: number
  ) => Effect.Effect<
    (Returned & { readonly confirmation: Redacted.Redacted }) | undefined,
    SqlError.SqlError | SealBroken
  >
  /** Ends a connection with whose state a user came back without a code, and gives the place to return to. */
  readonly abandon: (
    state: Redacted.Redacted,
    now: number
  ) => Effect.Effect<Returned | undefined, SqlError.SqlError>
  /** Ends a connection that has a code, which it gives once. */
  readonly take: (
    key: ConnectionKey,
    now: number
  ) => Effect.Effect<ConnectionSecrets | undefined, SqlError.SqlError | SealBroken>
  /** A device's connection, if it may be asked about now; otherwise the time at which it may, in Unix milliseconds. */
  readonly device: (
    key: ConnectionKey,
    now: number
  ) => Effect.Effect<
    ConnectionSecrets & { readonly _tag: "Device" } | { readonly _tag: "Later"; readonly at: number } | undefined,
    SqlError.SqlError | SealBroken
  >
  /** Notes the pause between questions that a provider asks for. */
  readonly slowDown: (
    key: ConnectionKey,
    secrets: ConnectionSecrets,
    askAt: number
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly end: (key: ConnectionKey) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/access/OAuthConnections") {
  static readonly layer: Layer.Layer<
    OAuthConnections,
    never,
    Digest.Digest | Seal | SecureRandom.SecureRandom | SqlClient.SqlClient
  > = Layer.effect(OAuthConnections, Effect.suspend(() => make))
}

const placeOf = (stateHash: string): string => `oauth_connections/${stateHash}`

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* Seal
  const random = yield* SecureRandom.SecureRandom
  const hashOf = yield* HashedSecret.make

  const newSecret = Effect.map(
    random.randomBytes(secretBytes),
    (bytes) => Redacted.make(Buffer.from(bytes).toString("base64url"))
  )

  const sealed = Effect.fnUntraced(function*(stateHash: string, secrets: ConnectionSecrets) {
    const text = yield* Effect.orDie(Schema.encodeEffect(SecretsText)(secrets))
    return yield* seal.seal(placeOf(stateHash), Redacted.make(text))
  })

  const opened = Effect.fnUntraced(function*(stateHash: string, secrets: Uint8Array) {
    const text = Redacted.value(yield* seal.open(placeOf(stateHash), secrets))
    return yield* Effect.orDie(Schema.decodeEffect(SecretsText)(text))
  })

  const named = Effect.fnUntraced(function*({ access, appAccountId, confirmation }: ConnectionKey) {
    const hash = yield* hashOf(confirmation)
    return sql`app_account_id = ${appAccountId} AND access = ${access} AND confirmation_hash = ${hash}`
  })

  interface Row {
    readonly state_hash: string
    readonly secrets: Uint8Array
  }

  return OAuthConnections.of({
    begin: Effect.fnUntraced(function*({ access, appAccountId, expiresAt, returnTo, secrets }, now) {
      const [held] = yield* sql`SELECT id FROM app_accounts WHERE id = ${appAccountId} FOR KEY SHARE`
      if (held === undefined) return undefined
      const state = yield* newSecret
      const stateHash = yield* hashOf(state)
      yield* sql`
        DELETE FROM oauth_connections WHERE expires_at <= ${now} OR state_hash IN (
          SELECT state_hash FROM oauth_connections WHERE app_account_id = ${appAccountId}
          ORDER BY expires_at DESC OFFSET ${most - 1}
        )`
      yield* sql`INSERT INTO oauth_connections ${
        sql.insert({
          state_hash: stateHash,
          app_account_id: appAccountId,
          access,
          confirmation_hash: secrets._tag === "Device" ? stateHash : null,
          secrets: yield* sealed(stateHash, secrets),
          return_to: returnTo,
          expires_at: expiresAt,
          ask_at: secrets._tag === "Device" ? now + secrets.intervalMs : now
        })
      }`
      return state
    }, sql.withTransaction),
    arrive: Effect.fnUntraced(function*(state, code, now) {
      const stateHash = yield* hashOf(state)
      const [row] = yield* sql<Row & { readonly app_account_id: string; readonly return_to: string | null }>`
        SELECT state_hash, secrets, app_account_id, return_to FROM oauth_connections
        WHERE state_hash = ${stateHash} AND confirmation_hash IS NULL AND expires_at > ${now} FOR UPDATE`
      if (row === undefined) return undefined
      const secrets = yield* opened(stateHash, row.secrets)
      if (secrets._tag !== "Asked") return undefined
      const confirmation = yield* newSecret
      const allowed = yield* sealed(stateHash, { ...secrets, _tag: "Allowed", code })
      yield* sql`
        UPDATE oauth_connections SET secrets = ${allowed}, confirmation_hash = ${yield* hashOf(confirmation)}
        WHERE state_hash = ${stateHash}`
      return { confirmation, appAccountId: row.app_account_id, returnTo: row.return_to }
    }, sql.withTransaction),
    abandon: Effect.fnUntraced(function*(state, now) {
      const [row] = yield* sql<{ readonly app_account_id: string; readonly return_to: string | null }>`
        DELETE FROM oauth_connections
        WHERE state_hash = ${yield* hashOf(state)} AND confirmation_hash IS NULL AND expires_at > ${now} 
        RETURNING app_account_id, return_to`
      return row === undefined ? undefined : { appAccountId: row.app_account_id, returnTo: row.return_to }
    }),
    take: Effect.fnUntraced(function*(key, now) {
      const [row] = yield* sql<Row>`
        DELETE FROM oauth_connections
        WHERE ${yield* named(key)} AND confirmation_hash <> state_hash AND expires_at > ${now}
        RETURNING state_hash, secrets`
      return row === undefined ? undefined : yield* opened(row.state_hash, row.secrets)
    }),
    device: Effect.fnUntraced(function*(key, now) {
      const [row] = yield* sql<Row & { readonly ask_at: bigint }>`
        SELECT state_hash, secrets, ask_at FROM oauth_connections
        WHERE ${yield* named(key)} AND confirmation_hash = state_hash AND expires_at > ${now} FOR UPDATE`
      if (row === undefined) return undefined
      if (Number(row.ask_at) > now) return { _tag: "Later" as const, at: Number(row.ask_at) }
      const secrets = yield* opened(row.state_hash, row.secrets)
      if (secrets._tag !== "Device") return undefined
      yield* sql`UPDATE oauth_connections SET ask_at = ${now + secrets.intervalMs} WHERE state_hash = ${row.state_hash}`
      return secrets
    }, sql.withTransaction),
    slowDown: Effect.fnUntraced(function*(key, secrets, askAt) {
      const stateHash = yield* hashOf(key.confirmation)
      yield* sql`
        UPDATE oauth_connections SET secrets = ${yield* sealed(stateHash, secrets)}, ask_at = ${askAt}
        WHERE ${yield* named(key)}`
    }),
    end: Effect.fnUntraced(function*(key) {
      yield* sql`DELETE FROM oauth_connections WHERE ${yield* named(key)}`
    })
  })
})
