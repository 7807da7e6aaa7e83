import { assert, describe, it } from "@effect/vitest"
import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer, Option, Redacted, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { Accounts } from "../access/Accounts.ts"
import { Components } from "./Components.ts"
import { Programs } from "./Programs.ts"

const services = Layer.mergeAll(Accounts.layer, Components.layer, Programs.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const tables = Layer.provideMerge(services, TestDatabase.layer)

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
    batch: null,
    hasAdditionalProps: false,
    steps: null,
    configurableProps: [{ name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } }],
    createdAt: 1,
    updatedAt: 1
  }
  yield* (yield* Components).insert(component)
  return component
})

const programOf = Effect.fnUntraced(function*(component: OwnComponent, overrides: Partial<Program> = {}) {
  const program: Program = {
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
    projectId: null,
    emitFrom: null,
    shadow: false,
    workflow: null,
    createdAt: 1,
    updatedAt: 1,
    ...overrides
  }
  return program
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

describe("Programs", () => {
  it.effect("gives back what was saved, by id, slug and endpoint", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const other = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null), { endpointKey: "abc" })
      yield* programs.insert(program)
      assert.deepStrictEqual(yield* programs.get(account.id, program.id), Option.some(program))
      assert.deepStrictEqual(yield* programs.get(account.id, "source"), Option.some(program))
      assert.deepStrictEqual(yield* programs.byEndpointKey("abc"), Option.some(program))
      assert.deepStrictEqual(yield* programs.get(other.id, program.id), Option.none())
      assert.deepStrictEqual(yield* programs.get(other.id, "source"), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("keeps props so that the database does not tell them, and reads those from before they were kept so", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null), { props: { token: "k-7Yb2" } })
      yield* programs.insert(program)
      const [row] = yield* sql<{ readonly text: string }>`SELECT programs::text AS text FROM programs`
      assert.notInclude(row!.text, "k-7Yb2")
      assert.notInclude(row!.text, Buffer.from("k-7Yb2").toString("hex"))
      yield* sql`UPDATE programs SET sealed_props = NULL, props = ${JSON.stringify({ token: "old" })}`
      assert.deepStrictEqual(Option.getOrThrow(yield* programs.getById(program.id)).props, { token: "old" })
      yield* programs.update(program)
      assert.deepStrictEqual(Option.getOrThrow(yield* programs.getById(program.id)).props, { token: "k-7Yb2" })
      assert.deepStrictEqual(yield* sql`SELECT props FROM programs`, [{ props: null }])
    }).pipe(Effect.provide(tables)))

  it.effect("seals the props of every program from before they were sealed, and changes nothing else", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null))
      yield* programs.insert(program)
      yield* sql`
        INSERT INTO programs SELECT (jsonb_populate_record(p, jsonb_build_object(
          'id', 'dc_' || lpad(n::text, 20, '0'), 'name_slug', 'old-' || n,
          'props', jsonb_build_object('token', 'k-7Yb2-' || n)::text, 'sealed_props', NULL
        ))).* FROM programs p, generate_series(1, 250) AS n`
      yield* TestClock.adjust("1 hour")
      yield* programs.sealProps
      const rows = yield* sql<{ readonly text: string }>`SELECT programs::text AS text FROM programs`
      for (const { text } of rows) assert.notInclude(text, "k-7Yb2")
      const { items } = yield* programs.page(account.id, "source", { limit: 300, after: undefined, before: undefined })
      const old = Array.from({ length: 250 }, (_, i) => ({
        ...program,
        id: Id.SourceId.make(`dc_${String(i + 1).padStart(20, "0")}`),
        nameSlug: `old-${i + 1}`,
        props: { token: `k-7Yb2-${i + 1}` }
      }))
      assert.sameDeepMembers([...items], [program, ...old])
    }).pipe(Effect.provide(tables)))

  it.live("seals no props over those that somebody gives a program meanwhile, however long that takes", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null))
      yield* programs.insert(program)
      yield* sql`UPDATE programs SET sealed_props = NULL, props = '{"token":"old"}'`
      const change = yield* inOpenTransaction(programs.update({ ...program, props: { token: "new" } }))
      const sealing = yield* Effect.forkChild(programs.sealProps)
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
        Effect.timeout("60 seconds")
      )
      yield* change.commit
      yield* Fiber.join(sealing)
      assert.deepStrictEqual(Option.getOrThrow(yield* programs.getById(program.id)).props, { token: "new" })
    }).pipe(Effect.provide(Layer.provideMerge(services, TestDatabase.layerImpatient))))

  it.effect("shows clients only what is ready, and start-up what is not", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null), { state: "creating", endpointKey: "abc" })
      yield* programs.insert(program)
      assert.deepStrictEqual(yield* programs.get(account.id, program.id), Option.none())
      assert.strictEqual(
        (yield* programs.page(account.id, "source", { limit: 10, after: undefined, before: undefined })).totalCount,
        0
      )
      assert.deepStrictEqual(yield* programs.getById(program.id), Option.some(program))
      assert.deepStrictEqual(yield* programs.byEndpointKey("abc"), Option.some(program))
      assert.deepStrictEqual(yield* programs.unready(program.createdAt + 1), [program])
      assert.isTrue(yield* programs.setState(program.id, "ready"))
      assert.deepStrictEqual(yield* programs.unready(program.createdAt + 1), [])
      assert.isTrue(Option.isSome(yield* programs.get(account.id, program.id)))
    }).pipe(Effect.provide(tables)))

  it.effect("finds the first free slug, and refuses a taken one", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const other = yield* newAccount
      const component = yield* newComponent(account.id, null)
      assert.strictEqual(yield* programs.freeSlug(account.id, "source"), "source")
      for (const nameSlug of ["source", "source-2", "source-4", "source-x"]) {
        yield* programs.insert(yield* programOf(component, { nameSlug }))
      }
      assert.strictEqual(yield* programs.freeSlug(account.id, "source"), "source-3")
      assert.strictEqual(yield* programs.freeSlug(other.id, "source"), "source")
      const refused = yield* Effect.flip(programs.insert(yield* programOf(component)))
      assert.strictEqual(refused._tag, "SlugTaken")
    }).pipe(Effect.provide(tables)))

  it.effect("finds a free slug among many that are taken", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      yield* programs.insert(yield* programOf(component))
      for (const [from, to] of [[2, 64], [65, 128], [129, 5_000]] as const) {
        yield* sql`
          INSERT INTO programs SELECT (jsonb_populate_record(p, jsonb_build_object(
            'id', 'dc_' || n, 'name_slug', 'source-' || n, 'endpoint_key', 'key-' || n
          ))).* FROM programs p, generate_series(${from}::int, ${to}::int) AS n WHERE p.name_slug = 'source'`
        assert.strictEqual(yield* programs.freeSlug(account.id, "source"), `source-${to + 1}`)
      }
    }).pipe(Effect.provide(tables)))

  it.effect("updates what may change, with the time, and deletes", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const program = yield* programOf(yield* newComponent(account.id, null))
      yield* programs.insert(program)
      yield* TestClock.setTime(5_000)
      const changed = { ...program, name: "Other", nameSlug: "other", props: {}, active: false }
      assert.deepStrictEqual(yield* programs.update(changed), Option.some({ ...changed, updatedAt: 5 }))
      assert.deepStrictEqual(yield* programs.get(account.id, "other"), Option.some({ ...changed, updatedAt: 5 }))
      assert.isTrue(yield* programs.delete(program.id))
      assert.isFalse(yield* programs.delete(program.id))
      assert.deepStrictEqual(yield* programs.update(changed), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("lists newest first, and a walk neither skips nor repeats while others come and go", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      const kept: Array<string> = []
      const passing: Array<Id.ProgramId> = []
      for (let i = 0; i < 25; i++) {
        const program = yield* programOf(component, { nameSlug: `s-${i}` })
        yield* programs.insert(program)
        if (i % 5 === 2) passing.push(program.id)
        else kept.unshift(program.id)
        yield* TestClock.adjust("1 millis")
      }
      const walk = Effect.fnUntraced(function*(direction: "after" | "before", start: string | undefined) {
        const seen: Array<string> = []
        let cursor = start
        for (let round = 0;; round++) {
          const { items } = yield* programs.page(account.id, "source", {
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
          if (gone !== undefined) yield* programs.delete(gone)
          if (direction === "after") yield* programs.insert(yield* programOf(component, { nameSlug: `new-${round}` }))
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
      const programs = yield* Programs
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      const ids: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const program = yield* programOf(component, { nameSlug: `s-${i}` })
        yield* programs.insert(program)
        ids.unshift(program.id)
        yield* TestClock.adjust("1 millis")
      }
      const page = yield* programs.page(account.id, "source", { limit: 2, after: ids[0], before: ids[4] })
      assert.deepStrictEqual(page.items.map(({ id }) => id as string), ids.slice(1, 3))
      assert.strictEqual(page.totalCount, 5)
    }).pipe(Effect.provide(tables)))

  it.effect("have as many large programs on a page as fit into 1 MiB, in either direction", () =>
    Effect.gen(function*() {
      const programs = yield* Programs
      const account = yield* newAccount
      const component = yield* newComponent(account.id, null)
      const ids: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const props = { text: "x".repeat(400_000) }
        const program = yield* programOf(component, { nameSlug: `s-${i}`, props })
        yield* programs.insert(program)
        ids.unshift(program.id)
        yield* TestClock.adjust("1 millis")
      }
      const page = (bounds: { readonly after?: string; readonly before?: string }) =>
        Effect.map(
          programs.page(account.id, "source", { limit: 100, after: undefined, before: undefined, ...bounds }),
          ({ items }) => items.map(({ id }) => id as string)
        )
      assert.deepStrictEqual(yield* page({}), ids.slice(0, 3))
      assert.deepStrictEqual(yield* page({ after: ids[2]! }), ids.slice(3))
      assert.deepStrictEqual(yield* page({ before: ids[4]! }), ids.slice(1, 4))
    }).pipe(Effect.provide(tables)))
})
