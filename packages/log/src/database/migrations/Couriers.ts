import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Couriers, which bring things into accounts from elsewhere, and the pages that each has brought. */
export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE couriers (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      hash bytea NOT NULL UNIQUE,
      stores jsonb NOT NULL,
      variables jsonb NOT NULL,
      takes_files boolean NOT NULL,
      project_id text COLLATE "C" REFERENCES projects ON DELETE CASCADE,
      page_count integer NOT NULL DEFAULT 0,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL
    )`
  yield* sql`CREATE INDEX couriers_account ON couriers (account_id, id)`
  yield* sql`CREATE INDEX couriers_project ON couriers (project_id) WHERE project_id IS NOT NULL`
  yield* sql`
    CREATE TABLE courier_pages (
      courier_id text COLLATE "C" NOT NULL REFERENCES couriers ON DELETE CASCADE,
      kind text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      number integer NOT NULL,
      hash text COLLATE "C" NOT NULL,
      items integer NOT NULL,
      bytes bigint NOT NULL,
      taken_at bigint NOT NULL,
      PRIMARY KEY (courier_id, kind, name, number)
    )`
})
