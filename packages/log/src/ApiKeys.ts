import * as Id from "@headwater/domain/Id"
import { Seal, type SealBroken } from "@headwater/domain/Seal"
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"

const prefix = "hw_"
const secretLength = 40

/** How long a key that was found is taken for live without asking the database: the longest a revocation takes. */
const trustFor = Duration.seconds(1)
const trustedKeys = 10_000

interface Found {
  readonly accountId: Id.AccountId
  readonly expiresAt: number | undefined
}

/** The keys by which requests name their account: looked up by SHA-256, with a sealed copy that can be shown again. */
export class ApiKeys extends Context.Service<ApiKeys, {
  /** @param key the key's text where it is not to be a new one, as of the first account's key from the configuration */
  readonly create: (accountId: Id.AccountId, name: string, key?: Redacted.Redacted) => Effect.Effect<{
    readonly id: Id.KeyId
    readonly key: Redacted.Redacted
  }, SqlError.SqlError>
  /** The account of a live key. A revocation on another node counts within a second. */
  readonly authenticate: (
    key: Redacted.Redacted
  ) => Effect.Effect<Option.Option<Id.AccountId>, SqlError.SqlError>
  /** The account's newest live key. */
  readonly reveal: (
    accountId: Id.AccountId
  ) => Effect.Effect<Option.Option<Redacted.Redacted>, SqlError.SqlError | SealBroken>
  /** Whether there was such a live key. */
  readonly revoke: (accountId: Id.AccountId, id: Id.KeyId) => Effect.Effect<boolean, SqlError.SqlError>
}>()("@headwater/log/ApiKeys") {
  static readonly layer: Layer.Layer<
    ApiKeys,
    never,
    SqlClient.SqlClient | Seal | Digest.Digest | SecureRandom.SecureRandom
  > = Layer.effect(
    ApiKeys,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seal = yield* Seal
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom

      const hashOf = (key: Redacted.Redacted) =>
        digest.digest(Digest.sha256, new TextEncoder().encode(Redacted.value(key)))

      const found = yield* Cache.makeWith(
        Effect.fnUntraced(function*(hashHex: string) {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<{ readonly account_id: string; readonly expires_at: bigint | null }>`
            SELECT account_id, expires_at FROM api_keys
            WHERE hash = decode(${hashHex}, 'hex') AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > ${Math.floor(now / 1000)})`
          return row === undefined ? Option.none<Found>() : Option.some<Found>({
            accountId: Id.AccountId.make(row.account_id),
            expiresAt: row.expires_at === null ? undefined : Number(row.expires_at)
          })
        }),
        {
          capacity: trustedKeys,
          timeToLive: (exit) => Exit.isSuccess(exit) && Option.isSome(exit.value) ? trustFor : Duration.zero
        }
      )

      return ApiKeys.of({
        create: Effect.fnUntraced(function*(accountId, name, given) {
          const id = Id.KeyId.make(
            yield* Id.make("key").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          )
          const key = given ?? Redacted.make(
            prefix + (yield* Id.randomText(secretLength).pipe(
              Effect.provideService(SecureRandom.SecureRandom, random)
            ))
          )
          const createdAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          yield* sql`
            INSERT INTO api_keys ${
            sql.insert({
              id,
              account_id: accountId,
              name,
              hash: yield* hashOf(key),
              sealed: yield* seal.seal(placeOf(id), key),
              created_at: createdAt
            })
          }`
          return { id, key }
        }),
        authenticate: Effect.fnUntraced(function*(key) {
          if (!Redacted.value(key).startsWith(prefix)) return Option.none()
          const live = yield* Cache.get(found, hex(yield* hashOf(key)))
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          return Option.flatMap(
            live,
            ({ accountId, expiresAt }) =>
              expiresAt === undefined || expiresAt > now ? Option.some(accountId) : Option.none()
          )
        }),
        reveal: Effect.fnUntraced(function*(accountId) {
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const [row] = yield* sql<{ readonly id: string; readonly sealed: Uint8Array }>`
            SELECT id, sealed FROM api_keys
            WHERE account_id = ${accountId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
            ORDER BY id DESC LIMIT 1`
          return row === undefined ? Option.none() : Option.some(yield* seal.open(placeOf(row.id), row.sealed))
        }),
        revoke: Effect.fnUntraced(function*(accountId, id) {
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const [row] = yield* sql<{ readonly hash: Uint8Array }>`
            UPDATE api_keys SET revoked_at = ${now}
            WHERE account_id = ${accountId} AND id = ${id} AND revoked_at IS NULL RETURNING hash`
          if (row === undefined) return false
          yield* Cache.invalidate(found, hex(row.hash))
          return true
        })
      })
    })
  )
}

const placeOf = (id: string): string => `api_keys/${id}`

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
