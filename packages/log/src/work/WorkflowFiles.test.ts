import { assert, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WorkflowFiles } from "./WorkflowFiles.ts"

const tables = WorkflowFiles.layer.pipe(Layer.provideMerge(TestDatabase.layer))

const runsWithFiles = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly count: bigint }>`
        SELECT count(*) AS count FROM (SELECT run_id FROM workflow_files UNION SELECT run_id FROM workflow_file_parts) AS r`
  ),
  ([row]) => Number(row!.count)
)

it.effect("removes the files of runs that are gone, once their bytes are an hour old, from so many runs in one go", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const files = yield* WorkflowFiles
    const young = {
      runId: Id.RunId.make(`run_${"0".repeat(20)}`),
      accountId: Id.AccountId.make(`u_${"0".repeat(20)}`),
      content: "a",
      place: 0,
      bytes: Buffer.from("a")
    }
    yield* sql`
      INSERT INTO workflow_files (run_id, path, mode, modified_at, size)
      SELECT 'run_' || lpad(n::text, 20, '0'), path, 0, 0, 0 FROM generate_series(1, 1500) AS n, unnest(ARRAY['a', 'b']) AS path`
    yield* TestClock.adjust("2 hours")
    for (const _ of [1, 2]) yield* files.putPart(young)
    const hours = (count: number) => count * 3_600_000
    assert.strictEqual(yield* runsWithFiles, 1_501)
    yield* files.removeLeft(hours(2))
    assert.strictEqual(yield* runsWithFiles, 502)
    yield* files.removeLeft(hours(2))
    assert.strictEqual(yield* runsWithFiles, 1)
    yield* files.removeLeft(hours(3) + 1)
    assert.strictEqual(yield* runsWithFiles, 0)
  }).pipe(Effect.provide(tables)))
