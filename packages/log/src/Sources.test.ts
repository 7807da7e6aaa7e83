import { assert, describe, it } from "@effect/vitest"
import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import type { Source } from "@headwater/domain/Source"
import * as TestDatabase from "@headwater/testing/TestDatabase"
import { Effect, Fiber, Layer, Option, Redacted, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inOpenTransaction } from "../test/OpenTransaction.ts"
import { Accounts } from "./Accounts.ts"
import { Components } from "./Components.ts"
import { Sources } from "./Sources.ts"

const tables = Layer.mergeAll(Accounts.layer, Components.layer, Sources.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

/** A component of an account, not of the registry. */
type OwnComponent = Component & { readonly accountId: Id.AccountId }

const newComponent = Effect.fnUntraced(function*(accountId: Id.AccountId, key: string | null) {
  const component: OwnComponent = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId,
    key,
    code: "export default {}",
    codeHash: "00",
    linked: null,
    name: "Component",
    version: "0.0.1",
    type: null,
    description: null,
    url: null,
    dedupe: "unique",
    hooks: ["deploy"],
    hasAdditionalProps: false,
    steps: null,
    configurableProps: [{ name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } }],
    createdAt: 1,
    updatedAt: 1
  }
  yield* (yield* Components).insert(component)
  return component
})

const sourceOf = Effect.fnUntraced(function*(component: OwnComponent, overrides: Partial<Source> = {}) {
  const source: Source = {
    id: Id.SourceId.make(yield* Id.make("source")),
    accountId: component.accountId,
    componentId: component.id,
    name: "Source",
    nameSlug: "source",
    props: { nul: "a\u0000b", deep: { list: [1, null] } },
    timers: { timer: { intervalSeconds: 60 }, cron: { cron: "0 9 * * 1", timezone: "Europe/Berlin" } },
    additionalProps: [],
    active: true,
    state: "ready",
    endpointKey: null,
    workflow: null,
    createdAt: 1,
    updatedAt: 1,
    ...overrides
  }
  return source
})

describe("Components", () => {
  it.effect("gives back what was saved, to its account alone", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const account = yield* newAccount
      const other = yield* newAccount
      const component = yield* newComponent(account.id, "feed")
      assert.deepStrictEqual(yield* components.get(account.id, component.id), Option.some(component))
      assert.deepStrictEqual(yield* components.get(other.id, component.id), Option.none())
      assert.deepStrictEqual(yield* components.newestByKey(other.id, "feed"), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("finds the newest version of a key", () =>
    Effect.gen(function*() {
      const components = yield* Components
      const account = yield* newAccount
      yield* newComponent(account.id, "feed")
      yield* TestClock.adjust("1 second")
      const newer = yield* newComponent(account.id, "feed")
      yield* TestClock.adjust("1 second")
      yield* newComponent(account.id, "other")
      assert.deepStrictEqual(yield* components.newestByKey(account.id, "feed"), Option.some(newer))
    }).pipe(Effect.provide(tables)))
})

describe("Sources", () => {
  it.effect("gives back what was saved, by id, slug and endpoint", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const other = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null), { endpointKey: "abc" })
      yield* sources.insert(source)
      assert.deepStrictEqual(yield* sources.get(account.id, source.id), Option.some(source))
      assert.deepStrictEqual(yield* sources.get(account.id, "source"), Option.some(source))
      assert.deepStrictEqual(yield* sources.byEndpointKey("abc"), Option.some(source))
      assert.deepStrictEqual(yield* sources.get(other.id, source.id), Option.none())
      assert.deepStrictEqual(yield* sources.get(other.id, "source"), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("keeps props so that the database does not tell them, and reads those from before they were kept so", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null), { props: { token: "k-7Yb2" } })
      yield* sources.insert(source)
      const [row] = yield* sql<{ readonly text: string }>`SELECT sources::text AS text FROM sources`
      assert.notInclude(row!.text, "k-7Yb2")
      assert.notInclude(row!.text, Buffer.from("k-7Yb2").toString("hex"))
      yield* sql`UPDATE sources SET sealed_props = NULL, props = ${JSON.stringify({ token: "old" })}`
      assert.deepStrictEqual(Option.getOrThrow(yield* sources.getById(source.id)).props, { token: "old" })
      yield* sources.update(source)
      assert.deepStrictEqual(Option.getOrThrow(yield* sources.getById(source.id)).props, { token: "k-7Yb2" })
      assert.deepStrictEqual(yield* sql`SELECT props FROM sources`, [{ props: null }])
    }).pipe(Effect.provide(tables)))

  it.effect("seals the props of every source from before they were sealed, and changes nothing else", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null))
      yield* sources.insert(source)
      yield* sql`
        INSERT INTO sources SELECT (jsonb_populate_record(s, jsonb_build_object(
          'id', 'dc_' || lpad(n::text, 20, '0'), 'name_slug', 'old-' || n,
          'props', jsonb_build_object('token', 'k-7Yb2-' || n)::text, 'sealed_props', NULL
        ))).* FROM sources s, generate_series(1, 250) AS n`
      yield* TestClock.adjust("1 hour")
      yield* sources.sealProps
      const rows = yield* sql<{ readonly text: string }>`SELECT sources::text AS text FROM sources`
      for (const { text } of rows) assert.notInclude(text, "k-7Yb2")
      const { items } = yield* sources.page(account.id, "source", { limit: 300, after: undefined, before: undefined })
      const old = Array.from({ length: 250 }, (_, i) => ({
        ...source,
        id: Id.SourceId.make(`dc_${String(i + 1).padStart(20, "0")}`),
        nameSlug: `old-${i + 1}`,
        props: { token: `k-7Yb2-${i + 1}` }
      }))
      assert.sameDeepMembers([...items], [source, ...old])
    }).pipe(Effect.provide(tables)))

  it.live("seals no props over those that somebody gives a source meanwhile, however long that takes", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null))
      yield* sources.insert(source)
      yield* sql`UPDATE sources SET sealed_props = NULL, props = '{"token":"old"}'`
      const change = yield* inOpenTransaction(sources.update({ ...source, props: { token: "new" } }))
      const sealing = yield* Effect.forkChild(sources.sealProps)
      const waits = new Set<string>()
      yield* sql<{ readonly since: string }>`
        SELECT query_start::text AS since FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
        Effect.tap((found) =>
          Effect.sync(() => {
            for (const { since } of found) waits.add(since)
          })
        ),
        Effect.repeat({ until: () => waits.size > 1, schedule: Schedule.spaced("5 millis") }),
        Effect.timeout("10 seconds")
      )
      yield* change.commit
      yield* Fiber.join(sealing)
      assert.deepStrictEqual(Option.getOrThrow(yield* sources.getById(source.id)).props, { token: "new" })
    }).pipe(Effect.provide(tables)))

  it.effect("shows clients only what is ready, and start-up what is not", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null), { state: "creating", endpointKey: "abc" })
      yield* sources.insert(source)
      assert.deepStrictEqual(yield* sources.get(account.id, source.id), Option.none())
      assert.strictEqual(
        (yield* sources.page(account.id, "source", { limit: 10, after: undefined, before: undefined })).totalCount,
        0
      )
      assert.deepStrictEqual(yield* sources.getById(source.id), Option.some(source))
      assert.deepStrictEqual(yield* sources.byEndpointKey("abc"), Option.some(source))
      assert.deepStrictEqual(yield* sources.unready(source.createdAt + 1), [source])
      assert.isTrue(yield* sources.setState(source.id, "ready"))
      assert.deepStrictEqual(yield* sources.unready(source.createdAt + 1), [])
      assert.isTrue(Option.isSome(yield* sources.get(account.id, source.id)))
    }).pipe(Effect.provide(tables)))

  it.effect("finds the first free slug, and refuses a taken one", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const other = yield* newAccount
      const component = yield* newComponent(account.id, null)
      assert.strictEqual(yield* sources.freeSlug(account.id, "source"), "source")
      for (const nameSlug of ["source", "source-2", "source-4", "source-x"]) {
        yield* sources.insert(yield* sourceOf(component, { nameSlug }))
      }
      assert.strictEqual(yield* sources.freeSlug(account.id, "source"), "source-3")
      assert.strictEqual(yield* sources.freeSlug(other.id, "source"), "source")
      const refused = yield* Effect.flip(sources.insert(yield* sourceOf(component)))
      assert.strictEqual(refused._tag, "SlugTaken")
    }).pipe(Effect.provide(tables)))

  it.effect("finds a free slug among many that are taken", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      yield* sources.insert(yield* sourceOf(component))
      for (const [from, to] of [[2, 64], [65, 128], [129, 5_000]] as const) {
        yield* sql`
          INSERT INTO sources SELECT (jsonb_populate_record(s, jsonb_build_object(
            'id', 'dc_' || n, 'name_slug', 'source-' || n, 'endpoint_key', 'key-' || n
          ))).* FROM sources s, generate_series(${from}::int, ${to}::int) AS n WHERE s.name_slug = 'source'`
        assert.strictEqual(yield* sources.freeSlug(account.id, "source"), `source-${to + 1}`)
      }
    }).pipe(Effect.provide(tables)))

  it.effect("updates what may change, with the time, and deletes", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const source = yield* sourceOf(yield* newComponent(account.id, null))
      yield* sources.insert(source)
      yield* TestClock.setTime(5_000)
      const changed = { ...source, name: "Other", nameSlug: "other", props: {}, active: false }
      assert.deepStrictEqual(yield* sources.update(changed), Option.some({ ...changed, updatedAt: 5 }))
      assert.deepStrictEqual(yield* sources.get(account.id, "other"), Option.some({ ...changed, updatedAt: 5 }))
      assert.isTrue(yield* sources.delete(source.id))
      assert.isFalse(yield* sources.delete(source.id))
      assert.deepStrictEqual(yield* sources.update(changed), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("lists newest first, and a walk neither skips nor repeats while others come and go", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      const kept: Array<string> = []
      const passing: Array<Id.ProgramId> = []
      for (let i = 0; i < 25; i++) {
        const source = yield* sourceOf(component, { nameSlug: `s-${i}` })
        yield* sources.insert(source)
        if (i % 5 === 2) passing.push(source.id)
        else kept.unshift(source.id)
        yield* TestClock.adjust("1 millis")
      }
      const walk = Effect.fnUntraced(function*(direction: "after" | "before", start: string | undefined) {
        const seen: Array<string> = []
        let cursor = start
        for (let round = 0;; round++) {
          const { items } = yield* sources.page(account.id, "source", {
            limit: 3,
            after: direction === "after" ? cursor : undefined,
            before: direction === "before" ? cursor : undefined
          })
          if (items.length === 0) return seen
          const ids = items.map(({ id }) => id)
          if (direction === "after") seen.push(...ids)
          else seen.unshift(...ids)
          cursor = direction === "after" ? ids.at(-1) : ids[0]
          // The cursor's own item may go too.
          const gone = passing.pop()
          if (gone !== undefined) yield* sources.delete(gone)
          if (direction === "after") yield* sources.insert(yield* sourceOf(component, { nameSlug: `new-${round}` }))
          yield* TestClock.adjust("1 millis")
        }
      })
      const forward = yield* walk("after", undefined)
      assert.deepStrictEqual(forward.filter((id) => kept.includes(id)), kept)
      assert.strictEqual(new Set(forward).size, forward.length)
      const back = yield* walk("before", kept.at(-1))
      assert.deepStrictEqual(back.filter((id) => kept.includes(id)), kept.slice(0, -1))
    }).pipe(Effect.provide(tables)))

  it.effect("pages between two cursors, and counts the whole list", () =>
    Effect.gen(function*() {
      const sources = yield* Sources
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      const ids: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const source = yield* sourceOf(component, { nameSlug: `s-${i}` })
        yield* sources.insert(source)
        ids.unshift(source.id)
        yield* TestClock.adjust("1 millis")
      }
      const page = yield* sources.page(account.id, "source", { limit: 2, after: ids[0], before: ids[4] })
      assert.deepStrictEqual(page.items.map(({ id }) => id as string), ids.slice(1, 3))
      assert.strictEqual(page.totalCount, 5)
    }).pipe(Effect.provide(tables)))
})
