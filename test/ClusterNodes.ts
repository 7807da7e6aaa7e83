import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { assert } from "vitest"
import * as ServerProcess from "./ServerProcess.ts"

/** What all nodes of the test's database are started with. */
export const environment = Effect.map(TestTables.environment, (shared) => ({
  ...shared,
  HEADWATER_EGRESS_ALLOW: "loopback"
}))

/** A node of the test's database, of this version if no other is given. */
export const nodeOf = Effect.fnUntraced(function*(folder?: string) {
  const server = yield* ServerProcess.make
  const port = yield* FreePort.find
  const shared = yield* environment
  const start = server.startWith({ ...shared, HEADWATER_NODE: `127.0.0.1:${port}` }, folder)
  const signal = (name: NodeJS.Signals) => Effect.sync(() => process.kill(server.pid()!, name))
  return { ...server, start, freeze: signal("SIGSTOP"), thaw: signal("SIGCONT") }
})

export const node = nodeOf()

/** A source with this code. */
export const deploy = (on: ServerProcess.ServerProcess, code: string) =>
  Effect.map(on.api("POST", "/sources", { component_code: code }), (created) => created["data"]!)

export const pathOf = (source: Json.Json) =>
  new URL(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])).pathname

/** What a source has emitted, in the order of its log. */
export const payloadsOf = Effect.fnUntraced(function*(source: Json.Json) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ payload: string; n: bigint }>`
    SELECT payload, n FROM events WHERE emitter_id = ${Json.textOf(source["id"])} AND stream = '' ORDER BY id`
  assert.deepStrictEqual(rows.map(({ n }) => Number(n)), rows.map((_, index) => index + 1))
  return rows.map(({ payload }) => JSON.parse(payload))
})

/** Waits until something holds, for so many seconds at most. */
export const until = <E, R>(what: string, seconds: number, holds: Effect.Effect<boolean, E, R>) =>
  holds.pipe(
    Effect.repeat({ until: (held) => held, schedule: Schedule.spaced("100 millis") }),
    Effect.timeout(`${seconds} seconds`),
    Effect.catchTag("TimeoutError", () => Effect.die(new Error(`not within ${seconds} s: ${what}`)))
  )
