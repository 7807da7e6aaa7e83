import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import { Context, Effect, Layer, Metric } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** The kinds of things that can keep the database from removing old versions of rows. */
type HolderKind = "session" | "headwater" | "standby" | "prepared_transaction" | "replication_slot"

interface Holder {
  readonly kind: HolderKind
  /** The process id of a session, or the name of anything else. */
  readonly name: string
  /** The oldest transaction whose changes it may not see; another one once it holds something newer. */
  readonly xid: string
  /** Milliseconds since it began, by the database's clock; none where it doesn't tell. */
  readonly heldMs: number | undefined
  readonly user: string | null
  readonly applicationName: string | null
  readonly database: string | null
  readonly state: string | null
  /** It is of another role, about whose sessions this one is told little. */
  readonly isHidden: boolean
  /** The remedy for it. */
  readonly remedy: string
}

const interval = "30 seconds"

/** A holder gets a line in the log when it is this old, and again whenever its age has doubled, in milliseconds. */
const limitMs = 60_000

/** Holders of each kind that are looked at, the oldest first. */
const mostOfKind = 10

const oldestSnapshot = Metric.gauge("headwater_oldest_snapshot_seconds", {
  description:
    "For how long somebody has kept the database from removing old versions of rows, by who does. 0 if nobody does."
})

const subjects: Readonly<Record<HolderKind, string>> = {
  session: "a transaction of another program is open",
  headwater: "a transaction of Headwater is open",
  standby: "a standby still runs a query",
  prepared_transaction: "a prepared transaction is not ended",
  replication_slot: "a replication slot is not read"
}

/** The facts about a holder since it was first seen. */
interface Held {
  readonly xid: string
  /** Unix milliseconds. */
  readonly since: number
  /** The age at which its next line is due, in milliseconds. */
  readonly nextLineMs: number
}

interface Sighting {
  readonly holder: Holder
  readonly ageMs: number
  readonly isLineDue: boolean
}

/** Remembers since when each holder holds what it holds, and which lines were written. */
class Sightings {
  private known: ReadonlyMap<string, Held> = new Map()
  private isBlindnessTold = false

  /** Takes what was found at a time, and forgets who is gone. */
  take(found: ReadonlyArray<Holder>, now: number): ReadonlyArray<Sighting> {
    const next = new Map<string, Held>()
    const sightings = found.map((holder) => {
      const key = `${holder.kind} ${holder.name}`
      const held = this.heldBy(holder, this.known.get(key), now)
      const ageMs = now - held.since
      const isLineDue = ageMs >= held.nextLineMs
      next.set(key, isLineDue ? { ...held, nextLineMs: 2 * ageMs } : held)
      return { holder, ageMs, isLineDue }
    })
    this.known = next
    return sightings
  }

  /** True if it is the first time that something is hidden. */
  isBlindnessNews(found: ReadonlyArray<Holder>): boolean {
    const isNews = !this.isBlindnessTold && found.some(({ isHidden }) => isHidden)
    if (isNews) this.isBlindnessTold = true
    return isNews
  }

  private heldBy({ heldMs = 0, xid }: Holder, known: Held | undefined, now: number): Held {
    if (known === undefined) return { xid, since: now - heldMs, nextLineMs: limitMs }
    // Statements of one transaction may each take a snapshot of their own: an old transaction, and nothing old is held.
    return known.xid === xid ? known : { xid, since: now, nextLineMs: limitMs }
  }
}

/**
 * Finds the holders that keep the database from removing old versions of rows. While anybody holds an old snapshot,
 * each change of a row leaves a version behind that all who look for the row walk over.
 */
export class OldestSnapshot extends Context.Service<OldestSnapshot, {
  /** Finds who holds one, measures for how long, and warns of those who have for long. */
  readonly look: Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/database/OldestSnapshot") {
  static readonly layer: Layer.Layer<OldestSnapshot, never, SqlClient.SqlClient> = Layer.effect(
    OldestSnapshot,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sightings = new Sightings()

      // A snapshot counts in its own database alone; a transaction that writes counts in all, as snapshots of all see it
      // running. Of a plain VACUUM neither does.
      const holders = Effect.map(
        sql<{
          kind: HolderKind
          name: string
          xid: string
          held_ms: bigint | null
          user: string | null
          application_name: string | null
          database: string | null
          state: string | null
          is_hidden: boolean
          remedy: string
        }>`
          SELECT * FROM (
            SELECT held.*, row_number() OVER (PARTITION BY kind ORDER BY age(held.xid::xid) DESC, name) AS place FROM (
              SELECT
                CASE
                  WHEN backend_type = 'walsender' THEN 'standby'
                  WHEN application_name = current_setting('application_name') AND usename = current_user THEN 'headwater'
                  ELSE 'session'
                END AS kind,
                pid::text AS name,
                oldest.xid::text AS xid,
                (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint AS held_ms,
                usename AS user, application_name, datname AS database, state,
                backend_type IS NULL AS is_hidden,
                CASE WHEN backend_type = 'walsender'
                  THEN 'End the query on the standby, or set hot_standby_feedback = off there'
                  ELSE 'End it where it was begun, or with: SELECT pg_terminate_backend(' || pid || ')'
                END AS remedy
              FROM pg_stat_activity
              CROSS JOIN LATERAL (
                SELECT xid FROM (
                  VALUES (backend_xid), (CASE WHEN datname = current_database() OR datname IS NULL THEN backend_xmin END)
                ) AS either (xid)
                WHERE xid IS NOT NULL ORDER BY age(xid) DESC LIMIT 1
              ) AS oldest
              WHERE pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
              UNION ALL
              SELECT
                'prepared_transaction', gid, transaction::text,
                (extract(epoch FROM clock_timestamp() - prepared) * 1000)::bigint,
                owner, NULL, database, NULL, false,
                format('End it: COMMIT PREPARED %1$L or ROLLBACK PREPARED %1$L', gid)
              FROM pg_prepared_xacts
              UNION ALL
              SELECT
                'replication_slot', slot_name, oldest.xid::text, NULL, NULL, NULL, database,
                CASE WHEN active THEN 'active' ELSE 'inactive' END, false,
                format('Start what reads it, or remove it: SELECT pg_drop_replication_slot(%L)', slot_name)
              FROM pg_replication_slots
              CROSS JOIN LATERAL (
                SELECT xid FROM (VALUES (xmin), (catalog_xmin)) AS either (xid)
                WHERE xid IS NOT NULL ORDER BY age(xid) DESC LIMIT 1
              ) AS oldest
              WHERE wal_status IS DISTINCT FROM 'lost'
            ) AS held
          ) AS placed
          WHERE place <= ${mostOfKind}
          ORDER BY kind, place`,
        (rows) =>
          rows.map((row): Holder => ({
            kind: row.kind,
            name: row.name,
            xid: row.xid,
            heldMs: row.held_ms === null ? undefined : Number(row.held_ms),
            user: row.user,
            applicationName: row.application_name,
            database: row.database,
            state: row.state,
            isHidden: row.is_hidden,
            remedy: row.remedy
          }))
      )

      const warn = ({ ageMs, holder }: Sighting) =>
        Effect.logWarning(
          `The database can't remove old versions of rows, and grows: ${subjects[holder.kind]}. ${holder.remedy}`
        ).pipe(Effect.annotateLogs({
          holder: holder.kind,
          ...(holder.kind === "prepared_transaction" || holder.kind === "replication_slot"
            ? { name: holder.name }
            : { pid: Number(holder.name) }),
          ...(holder.applicationName === null ? {} : { application_name: holder.applicationName }),
          ...(holder.user === null ? {} : { user: holder.user }),
          ...(holder.database === null ? {} : { database: holder.database }),
          ...(holder.state === null ? {} : { state: holder.state }),
          held_seconds: Math.round(ageMs / 1_000)
        }))

      return OldestSnapshot.of({
        look: Effect.gen(function*() {
          const found = yield* holders
          const seen = sightings.take(found, yield* RealTime.currentTimeMillis)
          for (const kind of Object.keys(subjects)) {
            const ages = seen.filter(({ holder }) => holder.kind === kind).map(({ ageMs }) => ageMs)
            yield* Metric.update(
              Metric.withAttributes(oldestSnapshot, { holder: kind }),
              Math.max(0, ...ages) / 1_000
            )
          }
          if (sightings.isBlindnessNews(found)) {
            yield* Effect.logWarning(
              "The database does not tell this role since when other roles' transactions are open: they count from when " +
                "they are first seen. To see it: GRANT pg_read_all_stats TO this role"
            )
          }
          yield* Effect.forEach(seen.filter(({ isLineDue }) => isLineDue), warn, { discard: true })
        })
      })
    })
  )
}

/** Looks every 30 seconds. One line in the log says that looking has begun to fail. */
export const layerWatch: Layer.Layer<never, never, OldestSnapshot> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { look } = yield* OldestSnapshot
    let isFailing = false
    const lookOrSay = look.pipe(
      Effect.matchCauseEffect({
        onSuccess: () =>
          Effect.sync(() => {
            isFailing = false
          }),
        onFailure: (cause) => {
          const isNews = !isFailing
          isFailing = true
          return isNews ? Effect.logWarning("Could not look for old snapshots in the database", cause) : Effect.void
        }
      })
    )
    yield* Recurring.every("look for old snapshots in the database", interval, lookOrSay)
  })
)
