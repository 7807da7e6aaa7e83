import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, emitting, type It } from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

/** Clients that read the log, which is an extension. */
export const rows = (it: It): void => {
  it.effect("extension: a consumer is created, listed, read, committed, moved and deleted", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ count: 3 })
        })
      )
      const filter = { n: { $lte: 1 } }
      const parameters = { emitter_id: source["name_slug"], start: "beginning", name: "n", filter, lease_seconds: 60 }
      const consumer = yield* ann.ok("POST", "/consumers", parameters)
      Json.assertHolds(consumer, {
        emitter_id: idOf(source),
        event_name: "",
        name: "n",
        filter,
        lease: null,
        lease_seconds: 60
      })
      assert.match(idOf(consumer), /^cns_/)
      assertRecent(consumer["created_at"])
      const path = `/consumers/${idOf(consumer)}`
      assert.deepStrictEqual(yield* ann.ok("GET", path), consumer)
      assert.include((yield* ann.listed("/consumers", 1)).map(idOf), idOf(consumer))

      const page = yield* ann.send("GET", `${path}/events?wait=20&max=1`)
      const lease = Json.textOf(page.json["lease"]!["id"])
      const rest = yield* ann.send("GET", `${path}/events?wait=20&lease=${lease}`)
      assert.strictEqual(Json.listOf(rest.json["data"]).length, 2)
      assertProblem(yield* ann.send("GET", `${path}/events`), 409, "lease_held")
      const committed = yield* ann.ok("POST", `${path}/commit`, { lease, positions: page.json["positions"] })
      Json.assertHolds(committed["lease"], { id: lease })
      const [position] = yield* ann.listed(`${path}/positions`, 1)
      Json.assertHolds(position, { emitter_id: idOf(source), delivered: 1, filtered: 0, dropped: 0 })
      yield* ann.ok("POST", `${path}/commit`, { lease, positions: rest.json["positions"], release: true })
      assertProblem(yield* ann.send("POST", `${path}/commit`, { body: { lease } }), 409, "lease_lost")

      for (const to of ["end", "beginning", "1-0", 0]) yield* ann.ok("POST", `${path}/seek`, { to })
      assertInvalid(yield* ann.send("POST", `${path}/seek`, { body: {} }), "to")
      assertInvalid(yield* ann.send("GET", `${path}/events?max=0&wait=61&max_bytes=0`), "max", "wait", "max_bytes")
      assertInvalid(yield* ann.send("POST", "/consumers", { body: {} }), "emitter_id")
      assertProblem(yield* bob.send("POST", "/consumers", { body: { emitter_id: idOf(source) } }), 404, "not_found")
      assertProblem(yield* bob.send("GET", `${path}/events`), 404, "not_found")
      assert.strictEqual((yield* ann.send("DELETE", path)).status, 204)
      assertProblem(yield* ann.send("GET", path), 404, "not_found")
    }))
}
