import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE sources RENAME TO programs`
  yield* sql`ALTER INDEX sources_pkey RENAME TO programs_pkey`
  yield* sql`ALTER INDEX sources_endpoint_key_key RENAME TO programs_endpoint_key_key`
  yield* sql`ALTER INDEX sources_account_id_name_slug_key RENAME TO programs_account_id_name_slug_key`
  yield* sql`ALTER INDEX sources_account RENAME TO programs_account`
  yield* sql`ALTER INDEX sources_unready RENAME TO programs_unready`
  yield* sql`ALTER TABLE programs RENAME CONSTRAINT sources_account_id_fkey TO programs_account_id_fkey`
  yield* sql`ALTER TABLE programs RENAME CONSTRAINT sources_component_id_fkey TO programs_component_id_fkey`
  yield* sql`ALTER TABLE source_state RENAME TO program_state`
  yield* sql`ALTER TABLE program_state RENAME COLUMN source_id TO program_id`
  yield* sql`ALTER INDEX source_state_pkey RENAME TO program_state_pkey`
})
