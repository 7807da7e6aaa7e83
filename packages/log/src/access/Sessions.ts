import type { KeyScope } from "@headwater/domain/ApiKey"
import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { longestIdleSeconds, longestSeconds, Session } from "@headwater/domain/Session"
import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { type Digest, SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as AwaitedEnds from "../internal/AwaitedEnds.ts"
import * as HashedSecret from "../internal/HashedSecret.ts"
import * as Rows from "../internal/Rows.ts"
import { texts } from "../internal/SqlArray.ts"
import type { AuthenticatedKey } from "./ApiKeys.ts"

const prefix = "hws_"
const secretLength = 40
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength}}$`)

/**
 * The time for which a session that was found is taken for live without asking the database: the longest its end takes.
 */
const trustFor = Duration.seconds(1)
const trustedSessions = 10_000

/** The age at which the note of a session's last use is written anew, in seconds. */
const noteEvery = 60

/** An account has so many sessions at once. One more ends the oldest. */
const most = 100

/** A live session, as a request that carries it needs to know it. */
export interface AuthenticatedSession {
  readonly id: Id.SessionId
  readonly accountId: Id.AccountId
  readonly keyId: Id.KeyId
  readonly scope: KeyScope
}

interface Found extends AuthenticatedSession {
  readonly expiresAt: number
}

const Row = Schema.Struct({
  ...Session.fields,
  createdAt: Column.Int8,
  expiresAt: Column.Int8,
  usedAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  keyId: "key_id",
  keyName: "key_name",
  createdAt: "created_at",
  expiresAt: "expires_at",
  usedAt: "used_at"
}))

/** The console's sessions: looked up by the SHA-256 of what their cookie holds, and kept in no other form. */
export class Sessions extends Context.Service<Sessions, {
  /** Begins a session of a live key. Its token is what the cookie holds. */
  readonly create: (
    key: AuthenticatedKey
  ) => Effect.Effect<{ readonly id: Id.SessionId; readonly token: Redacted.Redacted }, SqlError.SqlError>
  /** A live session, whose use this is. Its end on another node, and its key's, counts within a second. */
  readonly authenticate: (
    token: Redacted.Redacted
  ) => Effect.Effect<Option.Option<AuthenticatedSession>, SqlError.SqlError>
  /** Returns once the session is no longer live, or its account suspended: within a second, on whichever node. */
  readonly awaitEnd: (token: Redacted.Redacted) => Effect.Effect<AwaitedEnds.AccessEnd>
  /** The public part of a live session. */
  readonly get: (id: Id.SessionId) => Effect.Effect<Option.Option<Session>, SqlError.SqlError>
  /** Ends a session. */
  readonly end: (id: Id.SessionId) => Effect.Effect<void, SqlError.SqlError>
  /** Removes those that have ended. */
  readonly removeEnded: Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/access/Sessions") {
  static readonly layer: Layer.Layer<
    Sessions,
    never,
    SqlClient.SqlClient | Digest.Digest | SecureRandom.SecureRandom
  > = Layer.effect(
    Sessions,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const hashOf = yield* HashedSecret.make
      const { one } = Rows.make(Schema.decodeUnknownEffect(Row))

      const currentSeconds = Effect.map(RealTime.currentTimeMillis, (ms) => Math.floor(ms / 1000))
      const live = (now: number) =>
        sql`
        s.expires_at > ${now} AND s.used_at > ${now - longestIdleSeconds} AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > ${now})`

      const found = yield* Cache.makeWith(
        Effect.fnUntraced(function*(hash: string) {
          const now = yield* currentSeconds
          const [row] = yield* sql<{
            readonly id: string
            readonly account_id: string
            readonly key_id: string
            readonly scope: KeyScope
            readonly expires_at: bigint
            readonly used_at: bigint
          }>`
            SELECT s.id, s.account_id, s.key_id, k.scope, least(s.expires_at, k.expires_at) AS expires_at, s.used_at
            FROM sessions s JOIN api_keys k ON k.id = s.key_id
            WHERE s.hash = decode(${hash}, 'hex') AND ${live(now)}`
          if (row === undefined) return Option.none<Found>()
          if (Number(row.used_at) <= now - noteEvery) {
            yield* sql`UPDATE sessions SET used_at = ${now} WHERE id = ${row.id} AND used_at < ${now}`
          }
          return Option.some<Found>({
            id: Id.SessionId.make(row.id),
            accountId: Id.AccountId.make(row.account_id),
            keyId: Id.KeyId.make(row.key_id),
            scope: row.scope,
            expiresAt: Number(row.expires_at)
          })
        }),
        {
          capacity: trustedSessions,
          timeToLive: (exit) => Exit.isSuccess(exit) && Option.isSome(exit.value) ? trustFor : Duration.zero
        }
      )

      const ends = yield* AwaitedEnds.make(
        "sessions",
        (hashes) =>
          Effect.flatMap(currentSeconds, (now) =>
            sql<AwaitedEnds.LiveAccess>`
              SELECT encode(s.hash, 'hex') AS hash, a.suspended_at IS NOT NULL AS is_suspended
              FROM sessions s JOIN api_keys k ON k.id = s.key_id JOIN accounts a ON a.id = s.account_id
              WHERE s.hash IN (SELECT decode(asked, 'hex') FROM unnest(${texts(hashes)}) AS asked) AND ${live(now)}`)
      )

      return Sessions.of({
        create: Effect.fnUntraced(function*(key) {
          const id = Id.SessionId.make(
            yield* Id.make("session").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          )
          const token = Redacted.make(
            prefix + (yield* Id.randomText(secretLength).pipe(
              Effect.provideService(SecureRandom.SecureRandom, random)
            ))
          )
          const now = yield* currentSeconds
          yield* sql`
            INSERT INTO sessions ${
            sql.insert({
              id,
              hash: Buffer.from(yield* hashOf(token), "hex"),
              account_id: key.accountId,
              key_id: key.id,
              created_at: now,
              expires_at: now + longestSeconds,
              used_at: now
            })
          }`
          yield* sql`
            DELETE FROM sessions WHERE id IN (
              SELECT id FROM sessions WHERE account_id = ${key.accountId} ORDER BY id DESC OFFSET ${most}
            )`
          return { id, token }
        }, sql.withTransaction),
        authenticate: Effect.fnUntraced(function*(token) {
          if (!form.test(Redacted.value(token))) return Option.none()
          const known = yield* RealTime.on(Cache.get(found, yield* hashOf(token)))
          const now = yield* currentSeconds
          return Option.filter(known, ({ expiresAt }) => expiresAt > now)
        }),
        awaitEnd: (token) => Effect.flatMap(hashOf(token), ends.await),
        get: Effect.fnUntraced(function*(id) {
          const now = yield* currentSeconds
          return yield* one(sql`
            SELECT s.id, s.account_id, a.username, a.email, s.key_id, k.name AS key_name, k.scope, s.created_at,
              least(s.expires_at, k.expires_at) AS expires_at, s.used_at
            FROM sessions s JOIN api_keys k ON k.id = s.key_id JOIN accounts a ON a.id = s.account_id
            WHERE s.id = ${id} AND ${live(now)}`)
        }),
        // A change that the database has taken is forgotten here too, whatever becomes of the caller.
        end: Effect.fnUntraced(function*(id) {
          const rows = yield* sql<{ readonly hash: string }>`
            DELETE FROM sessions WHERE id = ${id} RETURNING encode(hash, 'hex') AS hash`
          for (const { hash } of rows) yield* Cache.invalidate(found, hash)
        }, Effect.uninterruptible),
        removeEnded: Effect.gen(function*() {
          const now = yield* currentSeconds
          yield* sql`
            DELETE FROM sessions s USING api_keys k WHERE k.id = s.key_id AND (${live(now)}) IS NOT TRUE`
        })
      })
    })
  )
}
