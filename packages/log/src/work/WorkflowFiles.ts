import type { AccountId, RunId } from "@headwater/domain/Id"
import { entryBytes, type FilePart, type RunFile, type RunFileChanges } from "@headwater/domain/RunFile"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { integers, numbers, texts } from "../internal/SqlArray.ts"

interface FileRow {
  readonly path: string
  readonly mode: number
  readonly modified_at: bigint
  readonly size: number
  readonly content: string | null
  readonly target: string | null
}

/** A part of the bytes of a file, and whose it is. */
interface RunFilePart extends FilePart {
  readonly runId: RunId
  readonly accountId: AccountId
}

/** Bytes that belong to no run after so many milliseconds are of a step that came to nothing. */
const strayMs = 3_600_000

/** Runs that are looked at in one go, however many have files. */
const mostLooked = 1_000

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const put = (runId: RunId, files: ReadonlyArray<RunFile>) =>
    sql`
      INSERT INTO workflow_files (run_id, path, mode, modified_at, size, content, target)
      SELECT ${runId}, * FROM unnest(
        ${texts(files.map(({ path }) => path))},
        ${integers(files.map(({ mode }) => mode))},
        ${numbers(files.map(({ modifiedAt }) => modifiedAt))},
        ${integers(files.map(({ size }) => size))},
        ${texts(files.map(({ content }) => content))},
        ${texts(files.map(({ target }) => target))}
      )
      ON CONFLICT (run_id, path) DO UPDATE SET mode = excluded.mode, modified_at = excluded.modified_at,
        size = excluded.size, content = excluded.content, target = excluded.target`

  /** Removes the files of a run that has ended. */
  const removeOf = (runId: RunId): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      WITH files AS (DELETE FROM workflow_files WHERE run_id = ${runId})
      DELETE FROM workflow_file_parts WHERE run_id = ${runId}`)

  /** The last run that was looked at for files that it left. */
  let lastLooked = ""

  return {
    /** The files of a run, each after the directory that it is in. */
    of: (runId: RunId): Effect.Effect<ReadonlyArray<RunFile>, SqlError.SqlError> =>
      Effect.map(
        sql<FileRow>`
          SELECT path, mode, modified_at, size, content, target FROM workflow_files WHERE run_id = ${runId} ORDER BY path`,
        (rows) => rows.map(({ modified_at, ...row }) => ({ ...row, modifiedAt: Number(modified_at) }))
      ),
    /** The parts of a commit that change the files of a run; their bytes are there before. */
    write: (
      runId: RunId,
      { put: files, removed }: RunFileChanges
    ): ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>> => [
      ...(removed.length === 0
        ? []
        : [sql`DELETE FROM workflow_files WHERE run_id = ${runId} AND path = ANY (${texts(removed)})`]),
      ...(files.length === 0 ? [] : [put(runId, files)])
    ],
    part: (runId: RunId, content: string, place: number): Effect.Effect<Uint8Array | undefined, SqlError.SqlError> =>
      Effect.map(
        sql<Pick<FilePart, "bytes">>`
          SELECT bytes FROM workflow_file_parts WHERE run_id = ${runId} AND content = ${content} AND place = ${place}`,
        ([row]) => row?.bytes
      ),
    /** Puts bytes in place before the commit whose files have them. */
    putPart: ({ accountId, bytes, content, place, runId }: RunFilePart): Effect.Effect<void, SqlError.SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(sql`
          INSERT INTO workflow_file_parts ${
          sql.insert({
            run_id: runId,
            content,
            place,
            account_id: accountId,
            size: bytes.length,
            bytes,
            put_at: now
          })
        } ON CONFLICT DO NOTHING`)),
    /** The bytes of an account's runs, all together, with those that each file counts for beside its content. */
    bytesOf: (accountId: AccountId): Effect.Effect<number, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly bytes: bigint }>`
          SELECT coalesce(sum(size + CASE place WHEN 0 THEN ${entryBytes}::int ELSE 0 END), 0) AS bytes
          FROM workflow_file_parts WHERE account_id = ${accountId}`,
        ([row]) => Number(row?.bytes ?? 0)
      ),
    /** Removes bytes that no file of a run has any more. */
    drop: (runId: RunId, contents: ReadonlyArray<string>): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        DELETE FROM workflow_file_parts p WHERE run_id = ${runId} AND content = ANY (${texts(contents)})
          AND NOT EXISTS (SELECT FROM workflow_files f WHERE f.run_id = p.run_id AND f.content = p.content)`),
    removeOf,
    /** Removes the files of runs that have ended or are gone: among those behind the ones looked at the last time. */
    removeLeft: Effect.fnUntraced(function*(now: number) {
      const runs = yield* sql<{ readonly run_id: RunId; readonly is_left: boolean }>`
        WITH RECURSIVE found AS (
          SELECT ${lastLooked}::text COLLATE "C" AS run_id, 0 AS n
          UNION ALL
          SELECT least(
            (SELECT min(f.run_id) FROM workflow_files f WHERE f.run_id > found.run_id),
            (SELECT min(p.run_id) FROM workflow_file_parts p WHERE p.run_id > found.run_id)
          ), n + 1
          FROM found WHERE run_id IS NOT NULL AND n < ${mostLooked}
        )
        SELECT found.run_id, r.ended_at IS NOT NULL OR r.id IS NULL AND NOT EXISTS (
          SELECT FROM workflow_file_parts p WHERE p.run_id = found.run_id AND p.put_at >= ${now - strayMs}
        ) AS is_left
        FROM found LEFT JOIN workflow_runs r ON r.id = found.run_id
        WHERE n > 0 AND found.run_id IS NOT NULL ORDER BY n`
      for (const { is_left, run_id } of runs) if (is_left) yield* removeOf(run_id)
      lastLooked = runs.length < mostLooked ? "" : runs.at(-1)!.run_id
    })
  }
})

/** The `workflow_files` and `workflow_file_parts` tables: the files that a step of a run leaves to the next one. */
export class WorkflowFiles
  extends Context.Service<WorkflowFiles, Effect.Success<typeof make>>()("@headwater/log/work/WorkflowFiles")
{
  static readonly layer: Layer.Layer<WorkflowFiles, never, SqlClient.SqlClient> = Layer.effect(WorkflowFiles, make)
}
