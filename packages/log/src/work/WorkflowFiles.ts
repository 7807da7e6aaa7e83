import type { AccountId, RunId } from "@headwater/domain/Id"
import type { RunFile, RunFileChanges } from "@headwater/domain/RunFile"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { inBites } from "../internal/Removal.ts"
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
export interface FilePart {
  readonly runId: RunId
  readonly accountId: AccountId
  readonly content: string
  readonly place: number
  readonly bytes: Uint8Array
}

/** Bytes that belong to no run after so many milliseconds are of a step that came to nothing. */
const strayMs = 3_600_000

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

  const removeOf = (runIds: ReadonlyArray<RunId>) =>
    sql`
      WITH files AS (DELETE FROM workflow_files WHERE run_id = ANY (${texts(runIds)}))
      DELETE FROM workflow_file_parts WHERE run_id = ANY (${texts(runIds)})`

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
    putPart: ({ accountId, bytes, content, place, runId }: FilePart): Effect.Effect<void, SqlError.SqlError> =>
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
        }`)),
    /** The bytes of an account's runs, all together. */
    bytesOf: (accountId: AccountId): Effect.Effect<number, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly bytes: bigint }>`
          SELECT coalesce(sum(size), 0) AS bytes FROM workflow_file_parts WHERE account_id = ${accountId}`,
        ([row]) => Number(row?.bytes ?? 0)
      ),
    /** Removes bytes that no file of a run has any more. */
    drop: (runId: RunId, contents: ReadonlyArray<string>): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        DELETE FROM workflow_file_parts p WHERE run_id = ${runId} AND content = ANY (${texts(contents)})
          AND NOT EXISTS (SELECT FROM workflow_files f WHERE f.run_id = p.run_id AND f.content = p.content)`),
    /** Removes the files of a run that has ended. */
    removeOf: (runId: RunId): Effect.Effect<void, SqlError.SqlError> => Effect.asVoid(removeOf([runId])),
    /** Removes the files of runs that have ended or are gone. */
    removeLeft: Effect.fnUntraced(function*(now: number) {
      yield* inBites(
        100,
        Effect.tap(
          sql<{ readonly run_id: RunId }>`
            SELECT f.run_id FROM (
              SELECT run_id, max(put_at) AS put_at FROM (
                SELECT run_id, put_at FROM workflow_file_parts UNION ALL SELECT run_id, 0 FROM workflow_files
              ) AS each GROUP BY run_id
            ) AS f
            LEFT JOIN workflow_runs r ON r.id = f.run_id
            WHERE r.ended_at IS NOT NULL OR (r.id IS NULL AND f.put_at < ${now - strayMs})
            LIMIT 100`,
          (rows) => removeOf(rows.map(({ run_id }) => run_id))
        )
      )
    })
  }
})

/** The `workflow_files` and `workflow_file_parts` tables: the files that a step of a run leaves to the next one. */
export class WorkflowFiles
  extends Context.Service<WorkflowFiles, Effect.Success<typeof make>>()("@headwater/log/work/WorkflowFiles")
{
  static readonly layer: Layer.Layer<WorkflowFiles, never, SqlClient.SqlClient> = Layer.effect(WorkflowFiles, make)
}
