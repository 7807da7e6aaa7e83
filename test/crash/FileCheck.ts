import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { storedOf, temporaryOf } from "./Components.ts"
import type { FaultTimes } from "./FaultTimes.ts"
import type { Findings } from "./Findings.ts"

interface FileRow {
  readonly path: string
  readonly size: bigint
  readonly bytes: Uint8Array | null
}

interface StrayRow {
  readonly content: string
  readonly put_at: bigint
}

/** How long after its bytes are put a file of `filed` is there at the latest, in milliseconds. */
const writingMs = 5_000

/** Holds the hashes of the files that the last step of a run of `filed` found in `/tmp` to what its steps wrote. */
export const ofRun = (findings: Findings, count: number, files: unknown): void => {
  const written = Object.fromEntries(
    Object.entries(temporaryOf(count)).map(([path, text]) => [path, createHash("sha256").update(text).digest("hex")])
  )
  if (JSON.stringify(files) !== JSON.stringify(written)) {
    findings.note("torn", "a step did not find the files as the one before it left them", { count, files, written })
  }
}

/**
 * Holds the account's file store to what `filed` wrote: each file is whole and as one run of it wrote it, and there are no
 * other bytes that take room, but of files that a fault kept from being written to their end.
 *
 * @param faults all that a run can be lost by
 */
export const ofAccount = (
  findings: Findings,
  faults: FaultTimes
): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const files = yield* sql<FileRow>`
      SELECT path, size, (
        SELECT string_agg(bytes, '' ORDER BY place) FROM stored_file_parts p WHERE p.content = f.content
      ) AS bytes FROM stored_files f`
    for (const { bytes, path, size } of files) {
      const text = Buffer.from(bytes ?? new Uint8Array()).toString()
      const count = Number(/^stored of (\d+)\n/.exec(text)?.[1])
      if (path !== `crash/${count % 5}` || text !== storedOf(count) || Number(size) !== Buffer.byteLength(text)) {
        findings.note("torn", "a file of the file store is not as a run wrote it", {
          path,
          size,
          bytes: bytes?.length,
          begins: text.slice(0, 40)
        })
      }
    }
    const strays = yield* sql<StrayRow>`
      SELECT content, min(put_at) AS put_at FROM stored_file_parts p
      WHERE NOT EXISTS (SELECT FROM stored_files f WHERE f.content = p.content) GROUP BY content`
    for (const stray of strays) {
      const at = Number(stray.put_at)
      if (!faults.between(at, at + writingMs)) {
        findings.note("unbalanced", "bytes take room that no file has, and nothing had happened", { stray })
      }
    }
  })
