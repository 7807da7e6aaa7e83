import { assert, layer } from "@effect/vitest"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, stream } from "../../test/ProgramFixture.ts"
import { send, steps } from "../../test/WorkflowFixture.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { StoreRoom } from "./StoreRoom.ts"

/** The room where data stores may have so much, as a node finds it. */
const roomOf = (dataStoresOfAccount: { readonly bytes: number; readonly entries: number }) =>
  Effect.map(
    Layer.build(Layer.fresh(StoreRoom.layer)).pipe(
      Effect.provideService(EngineLimits, { ...EngineLimits.defaultValue(), dataStoresOfAccount })
    ),
    (context) => Context.get(context, StoreRoom)
  )

const set = (storeId: string, key: string, value: string) => [
  { storeId, cleared: false, changes: [{ _tag: "Set" as const, key, value, ttl: null }] }
]

const remove = (storeId: string, key: string) => [
  { storeId, cleared: false, changes: [{ _tag: "Remove" as const, key }] }
]

const setup = Effect.gen(function*() {
  const account = yield* EngineFixture.account
  const store = yield* (yield* DataStores).create(account.id, "shared")
  const { commit } = yield* DataStoreEntries
  return { account, store, write: (written: Parameters<typeof commit>[0]) => commit(written, 0) }
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("data stores that are full", (it) => {
  for (
    const [what, limits] of [
      ["entries", { bytes: 1_000_000, entries: 2 }],
      ["bytes", { bytes: 24, entries: 1_000 }]
    ] as const
  ) {
    it.effect(`take no more ${what}, but let some be removed, and take some again when that was counted`, () =>
      Effect.gen(function*() {
        const { account, store, write } = yield* setup
        const { take } = yield* roomOf(limits)
        for (const key of ["a", "b"]) {
          const written = set(store.id, key, `"0123456789"`)
          yield* take(account.id, written)
          yield* write(written)
        }
        yield* TestClock.adjust("5 seconds")
        const { message } = yield* Effect.flip(take(account.id, set(store.id, "c", "1")))
        assert.include(message, "HEADWATER_DATA_STORES")
        assert.include(message, `${limits.entries} entries (HEADWATER_DATA_STORE_ENTRIES)`)
        yield* take(account.id, remove(store.id, "a"))
        yield* write(remove(store.id, "a"))
        yield* TestClock.adjust("5 seconds")
        yield* take(account.id, set(store.id, "c", "1"))
      }).pipe(Effect.scoped, EngineFixture.onTestClock))
  }

  it.effect("fill up again by what other nodes write, which is counted within a minute", () =>
    Effect.gen(function*() {
      const { account, store, write } = yield* setup
      const { take } = yield* roomOf({ bytes: 1_000, entries: 2 })
      yield* take(account.id, set(store.id, "a", "1"))
      yield* write([...set(store.id, "a", "1"), ...set(store.id, "b", "1")])
      yield* TestClock.adjust("1 minute")
      yield* Effect.flip(take(account.id, set(store.id, "c", "1")))
    }).pipe(Effect.scoped, EngineFixture.onTestClock))

  it.effect("fail the step or the run of a source that writes more, which keeps nothing of it", () =>
    Effect.gen(function*() {
      const { account, store, write } = yield* setup
      yield* write([...set(store.id, "a", "1"), ...set(store.id, "b", "1")])
      const room = yield* roomOf({ bytes: 1_000, entries: 2 })
      const launch = Effect.fnUntraced(function*(code: string, workflow: {} | undefined) {
        const program = yield* EngineFixture.program(
          account.id,
          code.replace("props: {", `props: { store: { type: "data_store" }, `),
          { state: "creating", props: { store: store.id }, ...(workflow === undefined ? {} : { workflow }) }
        )
        const actor = yield* actorOf(program).pipe(Effect.provideService(StoreRoom, room))
        yield* actor.deploy()
        yield* send(actor, 1)
        return yield* stream(program, "$errors")
      })
      const writes = `await this.store.set("c", 1)`
      const errors = [
        ...yield* launch(onRequest(writes), undefined),
        ...yield* launch(steps({ write: writes, tell: `$.emit(1)` }), {})
      ]
      assert.deepStrictEqual(errors.map(({ error }) => error.code ?? error.name), ["DataStoresFull", "DataStoresFull"])
      assert.include(errors[1].error.message, "HEADWATER_DATA_STORES")
      const { entries } = yield* (yield* DataStoreEntries).entries(store.id, { after: null, limit: 10 }, 0)
      assert.deepStrictEqual(entries.map(({ key }) => key), ["a", "b"])
    }).pipe(Effect.scoped, EngineFixture.onTestClock))
})
