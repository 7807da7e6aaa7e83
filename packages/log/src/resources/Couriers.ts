import { type Arrival, Courier, mostPages } from "@headwater/domain/Courier"
import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Context, Effect, Layer, type Option, Redacted, Schema } from "effect"
import { type Digest, SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as HashedSecret from "../internal/HashedSecret.ts"
import * as Rows from "../internal/Rows.ts"
import { texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

const prefix = "hwc_"
const secretLength = 40

/** An account has so many at once. One more takes the place of the oldest. */
const most = 100

/** The courier has brought as many pages as it may. */
export class CourierFull extends Schema.TaggedError<CourierFull>()("CourierFull", {}) {}

/** A part of what a courier brings. */
export interface CourierPage {
  readonly kind: Arrival["kind"]
  readonly name: string
  /** Among those of its name. */
  readonly number: number
  /** Of its content. */
  readonly hash: string
  readonly items: number
  readonly bytes: number
}

const Row = Schema.Struct({
  ...Courier.fields,
  createdAt: Column.Int8,
  expiresAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  takesFiles: "takes_files",
  projectId: "project_id",
  createdAt: "created_at",
  expiresAt: "expires_at"
}))

const seconds = Effect.map(RealTime.currentTimeMillis, (ms) => Math.floor(ms / 1_000))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const hashOf = yield* HashedSecret.make
  const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))
  const randomly = Effect.provideService(SecureRandom.SecureRandom, random)

  const isTaken = (id: Id.CourierId, { hash, kind, name, number }: Omit<CourierPage, "items" | "bytes">) =>
    Effect.map(
      sql<{ readonly hash: string }>`
        SELECT hash FROM courier_pages
        WHERE courier_id = ${id} AND kind = ${kind} AND name = ${name} AND number = ${number}`,
      ([row]) => ({ isKnown: row !== undefined, isSame: row?.hash === hash })
    )

  return {
    /** Its token is told only now. */
    create: Effect.fnUntraced(function*(
      accountId: Id.AccountId,
      { lifeSeconds, projectId, stores, takesFiles, variables }:
        & Pick<Courier, "projectId" | "stores" | "takesFiles" | "variables">
        & { readonly lifeSeconds: number }
    ) {
      const id = Id.CourierId.make(yield* randomly(Id.make("courier")))
      const token = Redacted.make(prefix + (yield* randomly(Id.randomText(secretLength))))
      const createdAt = yield* seconds
      const courier: Courier = {
        id,
        accountId,
        stores,
        variables,
        takesFiles,
        projectId,
        createdAt,
        expiresAt: createdAt + lifeSeconds
      }
      yield* sql`
        INSERT INTO couriers (
          id, account_id, hash, stores, variables, takes_files, project_id, created_at, expires_at
        ) VALUES (
          ${id}, ${accountId}, decode(${yield* hashOf(token)}, 'hex'), ${JSON.stringify(stores)}::jsonb,
          ${JSON.stringify(variables)}::jsonb, ${takesFiles}, ${projectId}, ${createdAt}, ${courier.expiresAt}
        )`
      yield* sql`
        DELETE FROM couriers WHERE id IN (
          SELECT id FROM couriers WHERE account_id = ${accountId} ORDER BY id DESC OFFSET ${most}
        )`
      return { courier, token }
    }, sql.withTransaction),
    get: (accountId: Id.AccountId, id: string) =>
      one(sql`SELECT * FROM couriers WHERE id = ${id} AND account_id = ${accountId}`),
    page: (accountId: Id.AccountId, request: Page.PageRequest) =>
      Page.read(sql, { table: "couriers", where: sql`account_id = ${accountId}`, request, all }),
    /** Answers whether there was such a courier. */
    remove: (accountId: Id.AccountId, id: string) =>
      Effect.map(
        sql`DELETE FROM couriers WHERE id = ${id} AND account_id = ${accountId} RETURNING id`,
        (rows) => rows.length > 0
      ),
    /** The one whose token it is, as long as it lives. */
    authenticate: (token: Redacted.Redacted): Effect.Effect<Option.Option<Courier>, SqlError.SqlError> =>
      Redacted.value(token).startsWith(prefix)
        ? Effect.flatMap(
          Effect.all([hashOf(token), seconds]),
          ([hash, now]) => one(sql`SELECT * FROM couriers WHERE hash = decode(${hash}, 'hex') AND expires_at > ${now}`)
        )
        : Effect.succeedNone,
    /** The pages that each of these has brought. */
    arrivals: (ids: ReadonlyArray<Id.CourierId>) =>
      Effect.map(
        sql<
          Omit<Arrival, "pages" | "items" | "bytes" | "at"> & { readonly courier_id: string; readonly counts: string }
        >`
          SELECT courier_id, kind, CASE WHEN kind = 'data_store' THEN name ELSE '' END AS name,
            json_build_object(
              'pages', count(*), 'items', sum(items), 'bytes', sum(bytes), 'at', max(taken_at)
            )::text AS counts
          FROM courier_pages WHERE courier_id = ANY (${texts(ids)})
          GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
        (rows) => {
          const found = new Map<string, Array<Arrival>>()
          for (const { counts, courier_id: id, kind, name } of rows) {
            found.set(id, [...found.get(id) ?? [], {
              kind,
              name,
              ...JSON.parse(counts) as Omit<Arrival, "kind" | "name">
            }])
          }
          return found
        }
      ),
    /** True if a page has been taken as it is. */
    has: (id: Id.CourierId, page: Omit<CourierPage, "items" | "bytes">) =>
      Effect.map(isTaken(id, page), ({ isSame }) => isSame),
    /** Takes a page with what writes it, both or none of them. Answers false for one that was taken before. */
    take: <E, R>(id: Id.CourierId, page: CourierPage, write: Effect.Effect<void, E, R>) =>
      sql.withTransaction(Effect.gen(function*() {
        // The pages of one courier are taken one after the other.
        const [row] = yield* sql<{ readonly page_count: number }>`
          SELECT page_count FROM couriers WHERE id = ${id} FOR UPDATE`
        if (row === undefined) return false
        const { isKnown, isSame } = yield* isTaken(id, page)
        if (isSame) return false
        if (!isKnown && row.page_count >= mostPages) return yield* new CourierFull()
        yield* write
        const { bytes, hash, items, kind, name, number } = page
        yield* sql`
          INSERT INTO courier_pages (courier_id, kind, name, number, hash, items, bytes, taken_at)
          VALUES (${id}, ${kind}, ${name}, ${number}, ${hash}, ${items}, ${bytes}, ${yield* seconds})
          ON CONFLICT (courier_id, kind, name, number) DO UPDATE SET
            hash = excluded.hash, items = excluded.items, bytes = excluded.bytes, taken_at = excluded.taken_at`
        if (!isKnown) yield* sql`UPDATE couriers SET page_count = page_count + 1 WHERE id = ${id}`
        return true
      }))
  }
})

/** The couriers of accounts: the `couriers` and `courier_pages` tables. */
export class Couriers extends Context.Service<Couriers, Effect.Success<typeof make>>()(
  "@headwater/log/resources/Couriers"
) {
  static readonly layer: Layer.Layer<
    Couriers,
    never,
    SqlClient.SqlClient | Digest.Digest | SecureRandom.SecureRandom
  > = Layer.effect(Couriers, make)
}
