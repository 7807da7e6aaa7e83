import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { EventLog } from "@headwater/log/logs/EventLog"
import { AutoSubscriptions } from "@headwater/log/resources/AutoSubscriptions"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "./HttpAppFixture.ts"

const itemCount = 1_000

/** Thousands of rows are written for each list, in milliseconds. */
const timeout = 120_000

/** A list whose items come and go without what else the API would do about them. */
interface WalkedList<E, R> {
  readonly path: string
  readonly prefix: string
  /** Answers the new item's id. */
  readonly insert: Effect.Effect<string, E, R>
  readonly remove: (id: string) => Effect.Effect<unknown, E, R>
}

type Direction = "after" | "before"

/** The page's items, and the cursor that a walk goes on from. */
interface Page {
  readonly ids: ReadonlyArray<string>
  readonly onward: string
}

const pageOf = Effect.fnUntraced(
  function*(http: Http.Tenant, path: string, cursorOf: (id: string) => string, direction: Direction, query: string) {
    const { json, status, text } = yield* http.request("GET", `${path}?${query}`)
    assert.strictEqual(status, 200, text)
    const ids = Json.listOf(json["data"]).map(({ id }) => Json.textOf(id))
    const { count, end_cursor, start_cursor } = json["page_info"]!
    assert.deepStrictEqual<unknown>([count, start_cursor, end_cursor], [
      ids.length,
      ids.length === 0 ? "" : cursorOf(ids[0]!),
      ids.length === 0 ? "" : cursorOf(ids.at(-1)!)
    ])
    return { ids, onward: Json.textOf(direction === "after" ? end_cursor : start_cursor) } satisfies Page
  }
)

/** Everything from one end of a list to the other, as the list is ordered. */
const walk = Effect.fnUntraced(function*<E, R, E2, R2>(direction: Direction, start: string, options: {
  /** Of the pages, over and over. */
  readonly limits: ReadonlyArray<number>
  readonly read: (query: string) => Effect.Effect<Page, E, R>
  /** Done after each page, with the item that its walk goes on from. */
  readonly between: (edge: string) => Effect.Effect<void, E2, R2>
}) {
  const seen: Array<ReadonlyArray<string>> = []
  let from = start
  for (let n = 0;; n++) {
    const limit = options.limits[n % options.limits.length]!
    const { ids, onward } = yield* options.read(from === "" ? `limit=${limit}` : `limit=${limit}&${direction}=${from}`)
    assert.isAtMost(ids.length, limit)
    if (ids.length === 0) return (direction === "after" ? seen : seen.toReversed()).flat()
    seen.push(ids)
    from = onward
    yield* options.between(direction === "after" ? ids.at(-1)! : ids[0]!)
  }
})

/** That nothing came twice or out of order, and that nothing which was there throughout is missing. */
const assertComplete = (
  walked: ReadonlyArray<string>,
  stayed: ReadonlySet<string>,
  isOlder: (a: string, b: string) => boolean
) => {
  const misplaced = walked.filter((id, i) => i > 0 && !isOlder(id, walked[i - 1]!))
  assert.deepStrictEqual(misplaced, [])
  const seen = new Set(walked)
  assert.deepStrictEqual([...stayed].filter((id) => !seen.has(id)), [])
}

const parse = (id: string): EventId.EventId => Option.getOrThrow(EventId.parse(id))

const base64Url = (text: string): string => Buffer.from(text).toString("base64url")

const walkBothWays = Effect.fnUntraced(function*<E, R>(http: Http.Tenant, list: WalkedList<E, R>) {
  const { insert, path, prefix, remove } = list
  const { json: first } = yield* http.request("GET", path)
  const own = Json.listOf(first["data"]).map(({ id }) => Json.textOf(id))
  const present = new Set(own)
  const insertOne = Effect.map(insert, (id) => present.add(id))
  const read = (direction: Direction) => (query: string) => pageOf(http, path, base64Url, direction, query)
  for (const direction of ["after", "before"] as const) {
    yield* Effect.forEach(Array.from({ length: itemCount - present.size }), () => insertOne, { concurrency: 4 })
    const victims = [...present].filter((id, i) => i % 2 === 0 && !own.includes(id))
    const doomed = new Set(victims)
    const stayed = new Set([...present].filter((id) => !doomed.has(id)))
    const removeOne = (id: string) => {
      doomed.delete(id)
      present.delete(id)
      return remove(id)
    }
    let edgesRemoved = 0
    const churn = yield* Effect.forkChild(Effect.forEach(
      victims,
      Effect.fnUntraced(function*(id, i) {
        if (doomed.has(id)) yield* removeOne(id)
        if (i % 3 === 0) yield* insertOne
        yield* Effect.sleep("1 millis")
      }),
      { discard: true }
    ))
    const start = direction === "after" ? "" : base64Url(`${prefix}_${"0".repeat(20)}`)
    const walked = yield* walk(direction, start, {
      limits: [1, 7, 100, 33, 2, 64, 99, 10, 50],
      read: read(direction),
      between: Effect.fnUntraced(function*(edge) {
        if (!doomed.has(edge)) return
        yield* removeOne(edge)
        edgesRemoved += 1
      })
    })
    yield* Fiber.join(churn)
    assertComplete(walked, stayed, (id, before) => id < before)
    assert.isAbove(edgesRemoved, 0)
  }
  const rest = yield* walk("after", "", { limits: [100], read: read("after"), between: () => Effect.void })
  assert.deepStrictEqual(rest, [...present].toSorted().toReversed())
  const { json } = yield* http.request("GET", path)
  Json.assertHolds(json["page_info"], { total_count: present.size, count: 10 })
})

layer(Http.layer, { excludeTestServices: true })("a walk over 1,000 items while others come and go", (it) => {
  it.effect("neither skips nor repeats a source", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const programs = yield* Programs
      const { id: templateId } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const template = yield* Effect.flatMap(programs.get(http.accountId, templateId), Effect.fromOption)
      yield* http.request("DELETE", `/v1/sources/${templateId}`)
      yield* walkBothWays(http, {
        path: "/v1/users/me/sources",
        prefix: "dc",
        insert: Effect.gen(function*() {
          const id = Id.SourceId.make(yield* Id.make("source"))
          yield* programs.insert({ ...template, id, nameSlug: id })
          return id
        }),
        remove: (id) => programs.delete(Id.SourceId.make(id))
      })
    }), timeout)

  it.effect("neither skips nor repeats a webhook", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const webhooks = yield* Webhooks
      const input = { accountId: http.accountId, name: null, description: null, url: "http://127.0.0.1:9/" }
      yield* walkBothWays(http, {
        path: "/v1/users/me/webhooks",
        prefix: "wh",
        insert: Effect.map(webhooks.insert(input), ({ id }) => id),
        remove: (id) => webhooks.delete(http.accountId, id)
      })
    }), timeout)

  it.effect("neither skips nor repeats an auto-subscription", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const autoSubscriptions = yield* AutoSubscriptions
      yield* walkBothWays(http, {
        path: "/v1/users/me/auto_subscriptions",
        prefix: "as",
        insert: Effect.gen(function*() {
          const listenerId = yield* Id.make("webhook")
          return (yield* autoSubscriptions.create({ accountId: http.accountId, listenerId, eventName: "" })).id
        }),
        remove: (id) => autoSubscriptions.remove(http.accountId, id)
      })
    }), timeout)

  it.effect("neither skips nor repeats an account with an app", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const appAccounts = yield* AppAccounts
      const input = { accountId: http.accountId, app: "shop", name: "", credentials: {} }
      yield* walkBothWays(http, {
        path: "/v1/accounts",
        prefix: "apn",
        insert: Effect.map(appAccounts.create(input), ({ id }) => id),
        remove: (id) => appAccounts.remove(http.accountId, id)
      })
    }), timeout)

  it.effect("neither skips nor repeats a run of a workflow", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const runs = yield* WorkflowRuns
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
      const workflowId = Id.WorkflowId.make(id)
      const deploymentId = Id.DeploymentId.make(yield* Id.make("deployment"))
      const run = {
        workflowId,
        deploymentId,
        trigger: { kind: "INVOCATION", id: "i", at: 0, hops: 0, emitterId: id, stream: "" },
        event: "{}",
        startedAt: 0,
        status: "success",
        step: 0,
        tries: 1,
        failures: 0,
        rerunContext: null,
        waitsFor: null,
        dueAt: null,
        error: null,
        exitReason: null,
        endedAt: 0
      } as const
      yield* walkBothWays(http, {
        path: `/v1/workflows/${id}/runs`,
        prefix: "run",
        insert: Effect.gen(function*() {
          const runId = Id.RunId.make(yield* Id.make("run"))
          yield* runs.insert([{ ...run, id: runId }])
          return runId
        }),
        remove: (runId) => sql`DELETE FROM workflow_runs WHERE id = ${runId}`
      })
    }), timeout)

  it.effect("neither skips nor repeats a key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const keys = yield* ApiKeys
      yield* walkBothWays(http, {
        path: "/v1/users/me/keys",
        prefix: "key",
        insert: Effect.map(keys.create(http.accountId, ""), ({ id }) => id),
        remove: (id) => keys.revoke(http.accountId, id)
      })
    }), timeout)
})

layer(Http.layer, { excludeTestServices: true })("a walk over the last 100 events while others come and go", (it) => {
  it.effect("neither skips nor repeats an event that is among them throughout", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const log = yield* EventLog
      const sql = yield* SqlClient.SqlClient
      const { id: emitterId } = yield* http.created("/v1/sources", { component_code: Http.code("feed") })
      const path = `/v1/sources/${emitterId}/event_summaries`
      const idOf = (n: number) => EventId.make(1_700_000_000_000 + Math.floor(n / 3), n % 3)
      let length = 0
      const append = (count: number) =>
        log.append(Array.from({ length: count }, () => {
          const n = ++length
          return { emitterId, stream: "", n, id: idOf(n), emitId: `e${n}`, hops: 1, meta: {}, payload: String(n) }
        }))
      yield* append(250)
      const window = Effect.map(
        http.request("GET", `${path}?limit=100`),
        ({ json }) => new Set(Json.listOf(json["data"]).map(({ id }) => Json.textOf(id)))
      )
      for (const direction of ["after", "before"] as const) {
        let stayed = yield* window
        assert.strictEqual(stayed.size, 100)
        let pages = 0
        const walked = yield* walk(direction, direction === "after" ? "" : EventId.format(idOf(0)), {
          limits: [1, 20, 2, 13],
          read: (query) => pageOf(http, path, (id) => id, direction, query),
          between: Effect.fnUntraced(function*(edge) {
            // Appends come to an end, so that a walk towards them does too.
            if (pages++ >= 6) return
            yield* append(3)
            yield* sql`DELETE FROM events WHERE emitter_id = ${emitterId} AND id = ${parse(edge)}`
            const present = yield* window
            stayed = new Set([...stayed].filter((id) => present.has(id)))
          })
        })
        assertComplete(walked, stayed, (id, before) => parse(id) < parse(before))
        assert.isAbove(pages, 3)
      }
    }))
})
