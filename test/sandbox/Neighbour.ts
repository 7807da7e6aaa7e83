import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule, type Scope } from "effect"
import type * as ServerProcess from "../ServerProcess.ts"
import type { Account } from "./HostileServer.ts"

/** How long a request of the neighbour's may take at most, in milliseconds, on a machine with much more to do than it can. */
const patience = 20_000

const code = `
export default {
  name: "Neighbour",
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db", secret: "string" },
  run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ n: body.n, count })
    this.http.respond({ status: 200, body: String(body.n) })
  }
}`

/** An account whose source is asked something all the time, and answers. */
export interface Neighbour {
  readonly account: Account
  readonly sourceId: string
  /**
   * Once one more request was answered: that all of them were, in time, since this was last asked. Gives how long the
   * slowest took, in milliseconds.
   */
  readonly undisturbed: Effect.Effect<number>
}

interface Asked {
  readonly n: number
  readonly millis: number
  readonly answer: string
}

/** Its requests begin at once. When the scope closes, its events are all there, in order. */
export const make = Effect.fnUntraced(function*(
  server: ServerProcess.ServerProcess,
  account: Account
): Effect.fn.Return<Neighbour, never, Scope.Scope> {
  const { json, text } = yield* account.send("POST", "/sources", {
    component_code: code,
    configured_props: { secret: "of the neighbour" }
  })
  const source = json["data"]
  assert.isDefined(source, text)
  const sourceId = Json.textOf(source!["id"])
  const endpoint = Json.textOf(source!["configured_props"]!["http"]!["endpoint_url"])
  const pid = server.pid()

  const asked: Array<Asked> = []
  let checked = 0

  const ask = Effect.promise(async () => {
    const n = asked.length
    const startedAt = performance.now()
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ n })
    }).then(async (response) => `${response.status} ${await response.text()}`, String)
    asked.push({ n, answer, millis: performance.now() - startedAt })
  })

  const undisturbed = Effect.gen(function*() {
    const before = asked.length
    // The one that is under way may have begun before.
    yield* Effect.sleep("20 millis").pipe(Effect.repeat({ until: () => asked.length > before + 1 }))
    const since = asked.slice(checked)
    checked = asked.length
    assert.strictEqual(server.pid(), pid, server.output())
    for (const { answer, millis, n } of since) {
      assert.strictEqual(answer, `200 ${n}`)
      assert.isBelow(millis, patience, `request ${n} of the neighbour's`)
    }
    return Math.max(...since.map(({ millis }) => millis))
  })

  const events = Effect.fnUntraced(function*() {
    const found: Array<Json.Json> = []
    let after = ""
    while (true) {
      const { json } = yield* account.send("GET", `/sources/${sourceId}/events?limit=100${after}`)
      const page = Json.listOf(json["data"])
      if (page.length === 0) return found.toReversed()
      found.push(...page.map(({ event }) => event!["raw_event"]!))
      after = `&after=${Json.textOf(json["page_info"]!["end_cursor"])}`
    }
  })

  // Closed after the requests have ended.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      if (server.pid() !== pid) return
      const expected = asked.map(({ n }) => ({ n, count: n + 1 }))
      // An answer goes out before what its run did is committed.
      const found = yield* Effect.repeat(events(), {
        until: ({ length }) => length >= expected.length,
        schedule: Schedule.spaced("100 millis"),
        times: 600
      })
      assert.deepStrictEqual<unknown>(found, expected)
    })
  )
  yield* Effect.andThen(Effect.uninterruptible(ask), Effect.sleep("50 millis")).pipe(Effect.forever, Effect.forkScoped)

  return { account, sourceId, undisturbed }
})
