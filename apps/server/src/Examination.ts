import type { Finding } from "@headwater/api/DiagnosisApi"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import { explain } from "./ErrorExplanation.ts"

/** A finding that all is well, with nothing to do. */
export const ok = (name: Finding["name"], message: string): Finding => ({ name, state: "ok", message, todo: null })

/** The longest that a check takes before it counts as failed. */
export const patience = "10 seconds"

const slowMs = 250

/** Beyond this, timers fire and leases end at noticeably other times than they should. */
const noticedSkewMs = 1_000
const wrongSkewMs = 30_000

/** The difference between two clocks, one of which was asked and answered within some time. */
export const skewOf = (theirsMs: number, askedMs: number, answeredMs: number) => {
  const slackMs = (answeredMs - askedMs) / 2
  const aheadMs = theirsMs - (askedMs + answeredMs) / 2
  const atLeastMs = Math.max(0, Math.abs(aheadMs) - slackMs)
  return { aheadMs: Math.round(aheadMs), atLeastMs }
}

/**
 * Judges the difference between two clocks.
 *
 * @param whose such as "The database's clock"
 */
export const clockFinding = (whose: string, { aheadMs, atLeastMs }: ReturnType<typeof skewOf>): Finding => {
  if (atLeastMs < noticedSkewMs) return ok("clock", `${whose} agrees with this one.`)
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1)
  return {
    name: "clock",
    state: atLeastMs < wrongSkewMs ? "warning" : "failed",
    message: `${whose} is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this one.`,
    todo: "Let NTP set the clocks of both machines (such as chrony or systemd-timesyncd)."
  }
}

/** The version of the database, and the findings about it. */
export interface DatabaseFindings {
  readonly version: string | null
  readonly findings: ReadonlyArray<Finding>
}

/** Asks the database, and whether its clock agrees with this process's. */
export const database = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // The first answer may have to wait for a connection, which says nothing of the way to the database.
  yield* sql`SELECT 1`
  // The machine's own clock, whatever the server takes for the time.
  const askedMs = Date.now()
  const [row] = yield* sql<{ version: string; now: number }>`
    SELECT current_setting('server_version') AS version, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`
  const answeredMs = Date.now()
  const version = row?.version.split(" ")[0] ?? null
  const tookMs = answeredMs - askedMs
  const answers: Finding = tookMs < slowMs ? ok("database", `Postgres ${version} answers within ${tookMs + 1} ms.`) : {
    name: "database",
    state: "warning",
    message: `Postgres ${version} took ${tookMs} ms to answer: each commit takes at least as long.`,
    todo: "Run the database near the server, and see whether its machine is overloaded."
  }
  const clock = clockFinding("The database's clock", skewOf(Number(row?.now), askedMs, answeredMs))
  return { version, findings: [answers, clock] } satisfies DatabaseFindings as DatabaseFindings
}).pipe(
  Effect.timeout(patience),
  Effect.catch((error) =>
    Effect.succeed<DatabaseFindings>({
      version: null,
      findings: [{
        name: "database",
        state: "failed",
        message: `The database does not answer: ${explain(error)}`,
        todo: "See that Postgres runs, that DATABASE_URL names it, and that it takes more connections."
      }]
    })
  )
)

const gib = 1024 ** 3

const scarceBytes = 2 * gib
const scarcePart = 0.05
const exhaustedBytes = gib / 4

/** Tells whether there is space left on the disk of a folder. */
export const disk = (folder: string, what: string): Effect.Effect<Finding> =>
  Effect.tryPromise(() => Fs.statfs(folder)).pipe(
    Effect.map(({ bavail, blocks, bsize }): Finding => {
      const freeBytes = bavail * bsize
      const message = `${(freeBytes / gib).toFixed(1)} GiB (${
        Math.floor(bavail / blocks * 100)
      }%) are free where ${what} is.`
      const isScarce = freeBytes < scarceBytes || bavail / blocks < scarcePart
      return isScarce
        ? {
          name: "disk",
          state: freeBytes < exhaustedBytes ? "failed" : "warning",
          message,
          todo: "Free some space, or lower HEADWATER_RETENTION_DAYS."
        }
        : ok("disk", message)
    }),
    Effect.catch((error) =>
      Effect.succeed<Finding>({
        name: "disk",
        state: "warning",
        message: `It can't be seen how much space is left where ${what} is: ${explain(error)}`,
        todo: `See that ${folder} is there and can be read by the server's user.`
      })
    )
  )

/** The version of the Deno that is installed with the server; null where another one is used. */
export const denoVersion = (): string | null => {
  try {
    const found: unknown = createRequire(import.meta.url)("deno/package.json")
    return typeof found === "object" && found !== null && "version" in found ? String(found.version) : null
  } catch {
    return null
  }
}
