import { assert, it } from "@effect/vitest"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"

it.effect("headwater check says whether the accounting balances, and what does not", () =>
  Effect.gen(function*() {
    const headwater = yield* CommandInProcess.onTestDatabase
    assert.deepStrictEqual<unknown>(HeadwaterCommand.jsonOf(yield* headwater("check", "--json")), {
      balanced: true,
      imbalances: []
    })
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_a', 'ann', 'a@b.c', 'free', 0)`
    yield* sql`INSERT INTO heads_folded (emitter_id, account_id, last_id, streams) VALUES ('dc_a', 'u_a', 9, '{"": 9}')`
    yield* sql`
      INSERT INTO subscriptions (id, account_id, emitter_id, emitter_like, listener_id, event_name, stream, created_at)
      VALUES ('sub_a', 'u_a', 'dc_a', 'dc_a', 'wh_a', '', '', 0), ('sub_b', 'u_a', 'dc_*', 'dc\\_%', 'wh_a', '', '', 0)`
    yield* sql`
      INSERT INTO cursors_folded (subscription_id, emitter_id, n, id, start_n, delivered, pending)
      VALUES ('sub_a', 'dc_a', 9, 9, 2, 5, 1), ('sub_b', 'dc_a', 9, 9, 2, 7, 0)`
    const { code, stderr, stdout } = yield* headwater("check", "--json")
    assert.strictEqual(code, 1)
    assert.match(stderr, /does not balance/)
    assert.deepStrictEqual(JSON.parse(stdout), {
      balanced: false,
      imbalances: [{ subscription_id: "sub_a", emitter_id: "dc_a", uncounted: 1, unheld_pending: 1, beyond_head: 0 }]
    })
  }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)
