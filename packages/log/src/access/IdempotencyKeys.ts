import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { removeRows } from "../internal/Removal.ts"

/**
 * The time for which a claim holds without being renewed, in milliseconds: a server that was killed holds up its key
 * for as long.
 */
export const leaseMs = 15_000

/** The time for which an answer is given again, in milliseconds. */
export const keptMs = 24 * 3_600_000

const claimLength = 20

/** An answer as it went out, but for what every response has. */
export const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
})
export type StoredAnswer = typeof StoredAnswer.Type

const AnswerText = Schema.fromJsonString(StoredAnswer)

/** A key of an account, and what is asked under it. */
export interface KeyedRequest {
  readonly accountId: Id.AccountId
  readonly key: string
  /** SHA-256 of the request: method, path, query and body. */
  readonly requestHash: Uint8Array
}

/** One execution of a keyed request. Once another has taken its place, nothing it writes has an effect. */
export interface KeyClaim {
  readonly accountId: Id.AccountId
  readonly key: string
  readonly claim: string
}

/** The state that a request finds under its key. */
export type ClaimOutcome =
  /** Nobody, or nobody who is still there: the caller does it. */
  | { readonly _tag: "Claimed"; readonly claim: KeyClaim }
  | { readonly _tag: "UnderWay" }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }
  /** The key was used for another request. */
  | { readonly _tag: "Conflict" }

interface Row {
  readonly request_hash: Uint8Array
  readonly claim: string
  readonly claimed_until: bigint
  readonly answer: Uint8Array | null
  readonly expires_at: bigint
}

/** Rows removed at once. */
const bite = 200

/** The `idempotency_keys` table: who works on a keyed request, and how it was answered. Answers are sealed. */
export class IdempotencyKeys extends Context.Service<IdempotencyKeys, {
  /** Of several callers with one key one is told to do it, until it answers, releases, or its lease runs out. */
  readonly claim: (request: KeyedRequest) => Effect.Effect<ClaimOutcome, SqlError.SqlError | SealBroken>
  /** Holds a claim for another lease. */
  readonly renew: (claim: KeyClaim) => Effect.Effect<void, SqlError.SqlError>
  /** Keeps the answer for the requests that come after. */
  readonly answer: (claim: KeyClaim, answer: StoredAnswer) => Effect.Effect<void, SqlError.SqlError>
  /** Gives a claim up: the key is as good as new. */
  readonly release: (claim: KeyClaim) => Effect.Effect<void, SqlError.SqlError>
  readonly removeOfAccount: (accountId: Id.AccountId) => Effect.Effect<void, SqlError.SqlError>
  /** Removes keys that are no longer kept, at most `limit` of them, and answers how many. */
  readonly removeExpired: (limit: number) => Effect.Effect<number, SqlError.SqlError>
}>()("@headwater/log/access/IdempotencyKeys") {
  static readonly layer: Layer.Layer<
    IdempotencyKeys,
    never,
    SqlClient.SqlClient | Seal | SecureRandom.SecureRandom
  > = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seal = yield* Seal
      const random = yield* SecureRandom.SecureRandom

      const insert = (request: KeyedRequest, claim: string, now: number) =>
        sql<{ readonly claim: string }>`
          INSERT INTO idempotency_keys ${
          sql.insert({
            account_id: request.accountId,
            key: request.key,
            request_hash: request.requestHash,
            claim,
            claimed_until: now + leaseMs,
            expires_at: now + keptMs
          })
        }
          ON CONFLICT (account_id, key) DO NOTHING RETURNING claim`

      const find = ({ accountId, key }: KeyedRequest) =>
        sql<Row>`
          SELECT request_hash, claim, claimed_until, answer, expires_at FROM idempotency_keys
          WHERE account_id = ${accountId} AND key = ${key}`

      /** Takes the place of a claim that was not renewed, or of an answer that is no longer kept. */
      const takeOver = (request: KeyedRequest, from: string, claim: string, now: number) =>
        sql<{ readonly claim: string }>`
          UPDATE idempotency_keys SET request_hash = ${request.requestHash}, claim = ${claim},
            claimed_until = ${now + leaseMs}, answer = NULL, expires_at = ${now + keptMs}
          WHERE account_id = ${request.accountId} AND key = ${request.key} AND claim = ${from}
            AND (expires_at <= ${now} OR answer IS NULL AND claimed_until <= ${now})
          RETURNING claim`

      const outcomeOf = Effect.fnUntraced(function*(request: KeyedRequest, row: Row, claim: string, now: number) {
        const { accountId, key } = request
        const isKept = row.expires_at > now
        if (isKept && Buffer.compare(row.request_hash, request.requestHash) !== 0) {
          return { _tag: "Conflict" } satisfies ClaimOutcome
        }
        if (isKept && row.answer !== null) {
          const text = yield* seal.open(placeOf(request), row.answer)
          const answer = yield* Effect.orDie(Schema.decodeEffect(AnswerText)(Redacted.value(text)))
          return { _tag: "Answered", answer } satisfies ClaimOutcome
        }
        if (isKept && row.claimed_until > now) return { _tag: "UnderWay" } satisfies ClaimOutcome
        const [taken] = yield* takeOver(request, row.claim, claim, now)
        return taken === undefined
          ? { _tag: "UnderWay" } satisfies ClaimOutcome
          : { _tag: "Claimed", claim: { accountId, key, claim } } satisfies ClaimOutcome
      })

      return IdempotencyKeys.of({
        claim: Effect.fnUntraced(function*(request) {
          const { accountId, key } = request
          const claim = yield* Id.randomText(claimLength).pipe(
            Effect.provideService(SecureRandom.SecureRandom, random)
          )
          const now = yield* RealTime.currentTimeMillis
          const [inserted] = yield* insert(request, claim, now)
          if (inserted !== undefined) return { _tag: "Claimed", claim: { accountId, key, claim } }
          const [row] = yield* find(request)
          // Released in between: the caller asks again.
          return row === undefined ? { _tag: "UnderWay" } : yield* outcomeOf(request, row, claim, now)
        }),
        renew: Effect.fnUntraced(function*({ accountId, claim, key }) {
          const now = yield* RealTime.currentTimeMillis
          yield* sql`
            UPDATE idempotency_keys SET claimed_until = ${now + leaseMs}
            WHERE account_id = ${accountId} AND key = ${key} AND claim = ${claim} AND answer IS NULL`
        }),
        answer: Effect.fnUntraced(function*(claimed, answer) {
          const now = yield* RealTime.currentTimeMillis
          const text = yield* Effect.orDie(Schema.encodeEffect(AnswerText)(answer))
          const sealed = yield* seal.seal(placeOf(claimed), Redacted.make(text))
          yield* sql`
            UPDATE idempotency_keys SET answer = ${sealed}, expires_at = ${now + keptMs}
            WHERE account_id = ${claimed.accountId} AND key = ${claimed.key} AND claim = ${claimed.claim}`
        }),
        release: ({ accountId, claim, key }) =>
          Effect.asVoid(sql`
            DELETE FROM idempotency_keys
            WHERE account_id = ${accountId} AND key = ${key} AND claim = ${claim} AND answer IS NULL`),
        removeOfAccount: (accountId) => removeRows(sql, "idempotency_keys", sql`account_id = ${accountId}`, bite),
        removeExpired: Effect.fnUntraced(function*(limit) {
          const now = yield* RealTime.currentTimeMillis
          const rows = yield* sql<{ readonly key: string }>`
            DELETE FROM idempotency_keys WHERE (account_id, key) IN (
              SELECT account_id, key FROM idempotency_keys WHERE expires_at <= ${now}
              ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
            ) RETURNING key`
          return rows.length
        })
      })
    })
  )
}

const placeOf = (at: { readonly accountId: Id.AccountId; readonly key: string }): string =>
  `idempotency_keys/${at.accountId}/${at.key}`
