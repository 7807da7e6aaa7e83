import * as Id from "@headwater/domain/Id"
import { Cause, Context, type Duration, Effect, Layer, Queue } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { isTransient, retrySchedule } from "../database/TransientSqlError.ts"
import { removeRows } from "../internal/Removal.ts"
import { integers, texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

/** A request that was to change something, and how it was answered. */
export interface AuditEntry {
  readonly id: Id.AuditId
  readonly accountId: Id.AccountId
  readonly keyId: Id.KeyId
  readonly sessionId: Id.SessionId | null
  /** The endpoint's id in the API's document. */
  readonly operation: string
  readonly method: string
  /** Without the query, where secrets can be. */
  readonly path: string
  readonly resourceId: string | null
  /** The answer's HTTP status. */
  readonly status: number
  readonly clientIp: string
}

export interface ListedEntry extends AuditEntry {
  readonly keyName: string
}

/** The entries that are meant: those of which all of this holds. */
export interface AuditFilter {
  readonly keyId?: string | undefined
  readonly sessionId?: string | undefined
  readonly operation?: string | undefined
  /** At this time or later, Unix milliseconds. */
  readonly from?: number | undefined
  /** Before this time. */
  readonly to?: number | undefined
}

/** Entries that wait to be written. A request with one more waits for them. */
const mostWaiting = 10_000
const mostAtOnce = 1_000

/** The time for which entries are gathered before they are written in one statement. */
const gatherFor = "100 millis"

/** The longest that a request waits for room, and that a write is tried again while the database is away. */
const patience = "30 seconds"
const patienceAtEnd = "5 seconds"

/** Entries that are looked at for a page. */
const mostSeen = 3_000

const bite = 5_000

interface Row {
  readonly id: string
  readonly account_id: string
  readonly key_id: string
  readonly key_name: string
  readonly session_id: string | null
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly resource_id: string | null
  readonly status: number
  readonly client_ip: string
  readonly is_match: boolean
  /** Nothing is looked at behind it. */
  readonly is_last: boolean
}

const fromRow = (row: Row): ListedEntry => ({
  id: Id.AuditId.make(row.id),
  accountId: Id.AccountId.make(row.account_id),
  keyId: Id.KeyId.make(row.key_id),
  keyName: row.key_name,
  sessionId: row.session_id === null ? null : Id.SessionId.make(row.session_id),
  operation: row.operation,
  method: row.method,
  path: row.path,
  resourceId: row.resource_id,
  status: row.status,
  clientIp: row.client_ip
})

/** The record of the changes that were asked for through the API, by whom and from where. */
export class AuditLog extends Context.Service<AuditLog, {
  /** Has an entry written within a moment, together with others. One that could not be written is in the server's log. */
  readonly note: (entry: AuditEntry) => Effect.Effect<void>
  readonly page: (
    accountId: Id.AccountId,
    filter: AuditFilter,
    request: Page.PageRequest
  ) => Effect.Effect<Page.UncountedPage<ListedEntry>, SqlError.SqlError>
  /** Removes entries from before a time in Unix milliseconds. */
  readonly expire: (before: number) => Effect.Effect<void, SqlError.SqlError>
  readonly removeOfAccount: (accountId: Id.AccountId) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/access/AuditLog") {
  static readonly layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
    AuditLog,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* Queue.bounded<AuditEntry>(mostWaiting)

      const tellLost = (entries: ReadonlyArray<AuditEntry>, why: unknown) =>
        Effect.forEach(
          entries,
          ({ accountId, clientIp, id, keyId, operation, resourceId, sessionId, status }) =>
            Effect.logError("A request is missing in the audit log", why).pipe(
              Effect.annotateLogs({
                account_id: accountId,
                audit_id: id,
                operation,
                resource_id: resourceId,
                status,
                key_id: keyId,
                session_id: sessionId,
                client_ip: clientIp
              })
            ),
          { discard: true }
        )

      /** An account may have been deleted meanwhile. */
      const write = (entries: ReadonlyArray<AuditEntry>, patience: Duration.Input) =>
        sql`
          INSERT INTO audit_log (
            id, account_id, key_id, session_id, operation, method, path, resource_id, status, client_ip
          )
          SELECT u.* FROM unnest(
            ${texts(entries.map(({ id }) => id))}, ${texts(entries.map(({ accountId }) => accountId))},
            ${texts(entries.map(({ keyId }) => keyId))}, ${texts(entries.map(({ sessionId }) => sessionId))},
            ${texts(entries.map(({ operation }) => operation))}, ${texts(entries.map(({ method }) => method))},
            ${texts(entries.map(({ path }) => path))}, ${texts(entries.map(({ resourceId }) => resourceId))},
            ${integers(entries.map(({ status }) => status))}, ${texts(entries.map(({ clientIp }) => clientIp))}
          ) AS u (id, account_id, key_id, session_id, operation, method, path, resource_id, status, client_ip)
          WHERE EXISTS (SELECT FROM accounts a WHERE a.id = u.account_id)
          ON CONFLICT (id) DO NOTHING`.pipe(
          Effect.retry({ schedule: retrySchedule, while: isTransient }),
          Effect.timeout(patience),
          Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : tellLost(entries, cause))
        )

      /** Taken, and not known to be written. To write them once more changes nothing. */
      let underWay: ReadonlyArray<AuditEntry> = []

      yield* Effect.addFinalizer(() =>
        Effect.flatMap(Queue.clear(waiting), (others) => {
          const entries = [...underWay, ...others]
          return entries.length === 0 ? Effect.void : write(entries, patienceAtEnd)
        })
      )

      yield* Queue.peek(waiting).pipe(
        Effect.andThen(Effect.sleep(gatherFor)),
        Effect.andThen(Effect.uninterruptible(
          Effect.map(Queue.takeBetween(waiting, 1, mostAtOnce), (entries) => {
            underWay = entries
          })
        )),
        Effect.andThen(Effect.suspend(() => write(underWay, patience))),
        Effect.andThen(Effect.sync(() => {
          underWay = []
        })),
        Effect.forever,
        Effect.forkScoped
      )

      const matching = ({ keyId, operation, sessionId }: AuditFilter): Statement.Fragment => {
        const where: Array<Statement.Fragment> = [sql`true`]
        if (keyId !== undefined) where.push(sql`key_id = ${keyId}`)
        if (sessionId !== undefined) where.push(sql`coalesce(session_id = ${sessionId}, false)`)
        if (operation !== undefined) where.push(sql`operation = ${operation}`)
        return sql.and(where)
      }

      return AuditLog.of({
        note: (entry) =>
          Effect.suspend(() =>
            Queue.offerUnsafe(waiting, entry) ? Effect.void : Effect.interruptible(Queue.offer(waiting, entry)).pipe(
              Effect.timeout(patience),
              Effect.catchCause((cause) => tellLost([entry], cause)),
              Effect.asVoid
            )
          ),
        page: Effect.fnUntraced(function*(accountId, filter, request) {
          const bounds = [sql`account_id = ${accountId}`, ...Page.within(sql, "id", request)]
          if (filter.from !== undefined) bounds.push(sql`id >= ${Id.firstAt("audit", filter.from)}`)
          if (filter.to !== undefined) bounds.push(sql`id < ${Id.firstAt("audit", filter.to)}`)
          const order = sql.literal(Page.orderOf(request))
          const rows = yield* sql<Row>`
            SELECT m.*, k.name AS key_name FROM (
              SELECT * FROM (
                SELECT *, ${
            matching(filter)
          } AS is_match, row_number() OVER (ORDER BY id ${order}) = ${mostSeen} AS is_last
                FROM (SELECT * FROM audit_log WHERE ${sql.and(bounds)} ORDER BY id ${order} LIMIT ${mostSeen}) AS s
              ) AS r
              WHERE is_match OR is_last ORDER BY id ${order} LIMIT ${request.limit + 1}
            ) AS m JOIN api_keys k ON k.id = m.key_id ORDER BY m.id ${order}`
          const matched = rows.filter((row) => row.is_match).map(fromRow)
          return Page.uncounted(matched, request, ({ id }) => id, rows.find((row) => row.is_last)?.id)
        }),
        expire: (before) => removeRows(sql, "audit_log", sql`id < ${Id.firstAt("audit", before)}`, bite),
        removeOfAccount: (accountId) => removeRows(sql, "audit_log", sql`account_id = ${accountId}`, bite)
      })
    })
  )
}
