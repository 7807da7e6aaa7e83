import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The files of events, which go with the account's retention, what each workflow sends to object storage, and large files
 * there.
 */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX stored_files_of_events ON stored_files (account_id, created_at) WHERE starts_with(path, '$events/')`
  yield* sql`ALTER TABLE stored_files ADD COLUMN object text COLLATE "C"`
  yield* sql`
    CREATE INDEX stored_files_large ON stored_files (created_at) WHERE object IS NULL AND size > 1048576`
  yield* sql`
    CREATE INDEX stored_files_in_objects ON stored_files (account_id) INCLUDE (size) WHERE object IS NOT NULL`
  yield* sql`
    CREATE TABLE unwanted_objects (
      object text COLLATE "C" PRIMARY KEY,
      count integer NOT NULL,
      due_at bigint NOT NULL,
      tries integer NOT NULL DEFAULT 0
    )`
  yield* sql`CREATE INDEX unwanted_objects_due ON unwanted_objects (due_at)`
  // However a file goes, and whoever removes it.
  yield* sql`
    CREATE FUNCTION leave_object() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO unwanted_objects (object, count, due_at) VALUES (OLD.object, (OLD.size + 8388607) / 8388608, 0)
        ON CONFLICT (object) DO NOTHING;
        RETURN NULL;
      END $$`
  yield* sql`
    CREATE TRIGGER stored_files_leave_object_removed AFTER DELETE ON stored_files
    FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION leave_object()`
  yield* sql`
    CREATE TRIGGER stored_files_leave_object_written AFTER UPDATE ON stored_files
    FOR EACH ROW WHEN (OLD.object IS NOT NULL AND OLD.object IS DISTINCT FROM NEW.object) EXECUTE FUNCTION leave_object()`
  // Without a cursor it begins with the stream, which is empty.
  yield* sql`
    INSERT INTO subscriptions
      (id, account_id, emitter_id, emitter_like, listener_id, event_name, stream, filter, batch, created_at)
    SELECT 'sub_' || substr(md5(s.id || 's3'), 1, 20), account_id, emitter_id, emitter_like, listener_id, '$s3', '$s3', NULL,
      '{"maxEvents":1000,"maxWaitMs":60000,"maxBytes":4194304}', created_at
    FROM subscriptions s
    WHERE stream = '$sends' AND listener_id IN (SELECT id FROM webhooks WHERE workflow_id IS NOT NULL)
    ON CONFLICT (account_id, emitter_id, listener_id, stream) DO NOTHING`
})
