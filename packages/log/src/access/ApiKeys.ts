import { ApiKey, type KeyScope } from "@headwater/domain/ApiKey"
import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { type Digest, SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as AwaitedEnds from "../internal/AwaitedEnds.ts"
import * as HashedSecret from "../internal/HashedSecret.ts"
import * as Rows from "../internal/Rows.ts"
import { texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

export type { AccessEnd } from "../internal/AwaitedEnds.ts"

const prefix = "hw_"
const secretLength = 40

/**
 * The time for which a key that was found is taken for live without asking the database: the longest a revocation
 * takes.
 */
const trustFor = Duration.seconds(1)
const trustedKeys = 10_000

/** A key that was just made, with its text. */
export interface NewApiKey extends ApiKey {
  readonly key: Redacted.Redacted
}

/** A live key, as a request that carries it needs to know it. */
export interface AuthenticatedKey {
  readonly id: Id.KeyId
  readonly accountId: Id.AccountId
  readonly scope: KeyScope
}

interface Found extends AuthenticatedKey {
  readonly expiresAt: number | undefined
}

const Row = Schema.Struct({
  ...ApiKey.fields,
  createdAt: Column.Int8,
  expiresAt: Schema.NullOr(Column.Int8)
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  createdAt: "created_at",
  expiresAt: "expires_at"
}))

/** The keys by which requests name their account: looked up by SHA-256, and kept in no other form. */
export class ApiKeys extends Context.Service<ApiKeys, {
  /**
   * @param options.scope `write` if it is left out
   * @param options.key the key's text where it is not to be a new one, as of the first account's key from the configuration
   */
  readonly create: (
    accountId: Id.AccountId,
    name: string,
    options?: { readonly scope?: KeyScope; readonly key?: Redacted.Redacted | undefined }
  ) => Effect.Effect<NewApiKey, SqlError.SqlError>
  /** The key's id, account and scope, if it is live. A revocation on another node counts within a second. */
  readonly authenticate: (
    key: Redacted.Redacted
  ) => Effect.Effect<Option.Option<AuthenticatedKey>, SqlError.SqlError>
  /**
   * Returns once the key is no longer live, or its account suspended: within a second, on whichever node that came
   * about.
   */
  readonly awaitEnd: (key: Redacted.Redacted) => Effect.Effect<AwaitedEnds.AccessEnd>
  /** A page of the account's live keys. */
  readonly page: (
    accountId: Id.AccountId,
    request: Page.PageRequest
  ) => Effect.Effect<Page.Page<ApiKey>, SqlError.SqlError>
  /** All live keys of the account, the oldest first. */
  readonly list: (accountId: Id.AccountId) => Effect.Effect<ReadonlyArray<ApiKey>, SqlError.SqlError>
  /** A live key of any account, for the operator. */
  readonly getById: (id: string) => Effect.Effect<Option.Option<ApiKey>, SqlError.SqlError>
  /**
   * Makes a new key of the same name and scope. The one before it is refused after `overlapSeconds`, or at its own
   * expiry where that is sooner. None where there is no such live key.
   */
  readonly rotate: (
    accountId: Id.AccountId,
    id: string,
    overlapSeconds: number
  ) => Effect.Effect<Option.Option<NewApiKey>, SqlError.SqlError>
  /** Answers whether there was such a live key. */
  readonly revoke: (accountId: Id.AccountId, id: string) => Effect.Effect<boolean, SqlError.SqlError>
}>()("@headwater/log/access/ApiKeys") {
  static readonly layer: Layer.Layer<
    ApiKeys,
    never,
    SqlClient.SqlClient | Digest.Digest | SecureRandom.SecureRandom
  > = Layer.effect(
    ApiKeys,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const currentSeconds = Effect.map(RealTime.currentTimeMillis, (ms) => Math.floor(ms / 1000))
      const live = (now: number) => sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`
      const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

      const hashOf = yield* HashedSecret.make

      const found = yield* Cache.makeWith(
        Effect.fnUntraced(function*(hashHex: string) {
          const [row] = yield* sql<{
            readonly id: string
            readonly account_id: string
            readonly scope: KeyScope
            readonly expires_at: bigint | null
          }>`
            SELECT id, account_id, scope, expires_at FROM api_keys
            WHERE hash = decode(${hashHex}, 'hex') AND ${live(yield* currentSeconds)}`
          return row === undefined ? Option.none<Found>() : Option.some<Found>({
            id: Id.KeyId.make(row.id),
            accountId: Id.AccountId.make(row.account_id),
            scope: row.scope,
            expiresAt: row.expires_at === null ? undefined : Number(row.expires_at)
          })
        }),
        {
          capacity: trustedKeys,
          timeToLive: (exit) => Exit.isSuccess(exit) && Option.isSome(exit.value) ? trustFor : Duration.zero
        }
      )
      const forget = (hashHex: string) => Cache.invalidate(found, hashHex)

      const ends = yield* AwaitedEnds.make(
        "API keys",
        (hashes) =>
          Effect.flatMap(currentSeconds, (now) =>
            sql<AwaitedEnds.LiveAccess>`
              SELECT encode(k.hash, 'hex') AS hash, a.suspended_at IS NOT NULL AS is_suspended
              FROM api_keys k JOIN accounts a ON a.id = k.account_id
              WHERE k.hash IN (SELECT decode(asked, 'hex') FROM unnest(${texts(hashes)}) AS asked) AND ${live(now)}`)
      )

      const create = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        name: string,
        { key: given, scope = "write" }: { readonly scope?: KeyScope; readonly key?: Redacted.Redacted | undefined } =
          {}
      ) {
        const id = Id.KeyId.make(
          yield* Id.make("key").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        )
        const key = given ?? Redacted.make(
          prefix + (yield* Id.randomText(secretLength).pipe(
            Effect.provideService(SecureRandom.SecureRandom, random)
          ))
        )
        const createdAt = yield* currentSeconds
        yield* sql`
          INSERT INTO api_keys ${
          sql.insert({
            id,
            account_id: accountId,
            name,
            scope,
            hash: Buffer.from(yield* hashOf(key), "hex"),
            created_at: createdAt
          })
        }`
        return { id, accountId, name, scope, createdAt, expiresAt: null, key }
      })

      const replace = Effect.fnUntraced(function*(accountId: Id.AccountId, id: string, overlapSeconds: number) {
        const now = yield* currentSeconds
        const [row] = yield* sql<{ readonly name: string; readonly scope: KeyScope; readonly hash: string }>`
          UPDATE api_keys SET expires_at = least(expires_at, ${now + overlapSeconds}::bigint)
          WHERE account_id = ${accountId} AND id = ${id} AND ${
          live(now)
        } RETURNING name, scope, encode(hash, 'hex') AS hash`
        if (row === undefined) return undefined
        return { replaced: row.hash, made: yield* create(accountId, row.name, { scope: row.scope }) }
      }, sql.withTransaction)

      return ApiKeys.of({
        create,
        authenticate: Effect.fnUntraced(function*(key) {
          if (!Redacted.value(key).startsWith(prefix)) return Option.none()
          const known = yield* RealTime.on(Cache.get(found, yield* hashOf(key)))
          const now = yield* currentSeconds
          return Option.filter(known, ({ expiresAt }) => expiresAt === undefined || expiresAt > now)
        }),
        awaitEnd: (key) => Effect.flatMap(hashOf(key), ends.await),
        page: Effect.fnUntraced(function*(accountId, request) {
          const where = sql`account_id = ${accountId} AND ${live(yield* currentSeconds)}`
          return yield* Page.read(sql, { table: "api_keys", where, request, all })
        }),
        list: Effect.fnUntraced(function*(accountId) {
          const now = yield* currentSeconds
          return yield* all(sql`SELECT * FROM api_keys WHERE account_id = ${accountId} AND ${live(now)} ORDER BY id`)
        }),
        getById: Effect.fnUntraced(function*(id) {
          const now = yield* currentSeconds
          return yield* one(sql`SELECT * FROM api_keys WHERE id = ${id} AND ${live(now)}`)
        }),
        // A change that the database has taken is forgotten here too, whatever becomes of the caller.
        rotate: Effect.fnUntraced(function*(accountId, id, overlapSeconds) {
          const rotated = yield* replace(accountId, id, overlapSeconds)
          if (rotated === undefined) return Option.none()
          yield* forget(rotated.replaced)
          return Option.some(rotated.made)
        }, Effect.uninterruptible),
        revoke: Effect.fnUntraced(function*(accountId, id) {
          const now = yield* currentSeconds
          const [row] = yield* sql<{ readonly hash: string }>`
            UPDATE api_keys SET revoked_at = ${now}
            WHERE account_id = ${accountId} AND id = ${id} AND ${live(now)} RETURNING encode(hash, 'hex') AS hash`
          if (row === undefined) return false
          yield* forget(row.hash)
          return true
        }, Effect.uninterruptible)
      })
    })
  )
}
