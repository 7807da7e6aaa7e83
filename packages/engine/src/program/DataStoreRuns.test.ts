import { assert, layer } from "@effect/vitest"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, post, stream } from "../../test/ProgramFixture.ts"
import { runsOf, send, steps } from "../../test/WorkflowFixture.ts"

const stored = (code: string) => code.replace("props: {", `props: { store: { type: "data_store" }, `)

/** Programs of one account that share a data store, each with its owner. */
const sharing = Effect.fnUntraced(function*(...codes: ReadonlyArray<string>) {
  const account = yield* EngineFixture.account
  const store = yield* (yield* DataStores).create(account.id, "shared")
  const launched = yield* Effect.forEach(codes, (code) =>
    Effect.gen(function*() {
      const isWorkflow = code.includes("steps:")
      const program = yield* EngineFixture.program(account.id, stored(code), {
        state: "creating",
        props: { store: store.id },
        ...(isWorkflow ? { workflow: {} } : {})
      })
      const actor = yield* actorOf(program)
      yield* actor.deploy()
      return { actor, program }
    }))
  return { launched, store }
})

const contents = Effect.fnUntraced(function*(storeId: string) {
  const now = yield* Clock.currentTimeMillis
  const { entries } = yield* (yield* DataStoreEntries).entries(storeId, { after: null, limit: 1_000 }, now)
  return Object.fromEntries(entries.map(({ key, value }) => [key, JSON.parse(value)]))
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a run with a data store", (it) => {
  it.effect("reads what it wrote itself, and what others have committed", () =>
    Effect.gen(function*() {
      const { launched: [writer, reader], store } = yield* sharing(
        onRequest(`
          const { store } = this
          await store.set("a", { n: 1 })
          await store.set("gone", 1)
          await store.delete("gone")
          const all = []
          for await (const [key, value] of store) all.push([key, value])
          this.$emit([await store.get("a"), await store.get("gone") ?? null, await store.has("a"), all, await store.size()])`),
        steps({
          read: `return [await this.store.get("a"), await this.store.keys()]`,
          write: `await this.store.set("b", steps.read.$return_value); $.emit(await this.store.entries().next())`
        })
      )
      yield* send(writer!.actor, 1)
      assert.deepStrictEqual(yield* stream(writer!.program), [[{ n: 1 }, null, true, [["a", { n: 1 }]], 1]])
      yield* send(reader!.actor, 1)
      assert.deepStrictEqual(yield* contents(store.id), { a: { n: 1 }, b: [{ n: 1 }, ["a"]] })
      assert.deepStrictEqual(yield* stream(reader!.program), [{ value: ["a", { n: 1 }], done: false }])
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps nothing of a step that throws", () =>
    Effect.gen(function*() {
      const { launched: [{ actor, program } = undefined!], store } = yield* sharing(steps({
        first: `await this.store.set("first", 1)`,
        second: `await this.store.set("second", 1); await this.store.clear(); throw new Error("no")`
      }))
      yield* send(actor, 1)
      assert.deepStrictEqual((yield* runsOf(program))[0]?.steps, ["first success", "second error"])
      assert.deepStrictEqual(yield* contents(store.id), { first: 1 })
    }).pipe(EngineFixture.onTestClock))

  it.effect("has each run see what the one before it wrote, many of them in one go", () =>
    Effect.gen(function*() {
      const { launched: [{ actor, program } = undefined!], store } = yield* sharing(onRequest(`
        const list = await this.store.get("list") ?? []
        await this.store.set("list", [...list, event.body])
        await this.store.increment("count")
        this.$emit(list.length)`))
      for (let n = 0; n < 12; n++) yield* post(actor, n)
      yield* send(actor, 12)
      assert.deepStrictEqual(yield* stream(program), Array.from({ length: 13 }, (_, n) => n))
      assert.deepStrictEqual(yield* contents(store.id), { list: Array.from({ length: 13 }, (_, n) => n), count: 13 })
    }).pipe(EngineFixture.onTestClock))

  it.effect("loses no addition of two runs at once, and runs again where a value is not what it expected", () =>
    Effect.gen(function*() {
      const counting = onRequest(`
        const { store } = this
        await store.increment("sum", event.body)
        let n
        do n = await store.get("n")
        while (!await store.compareAndSet("n", n, (n ?? 0) + 1))
        this.$emit(n ?? 0)`)
      const { launched, store } = yield* sharing(counting, counting, counting)
      yield* EngineFixture.whileTimePasses(Effect.forEach(
        launched,
        ({ actor }) => Effect.forEach([1, 2, 3, 4, 5, 0], (n) => send(actor, n)),
        { concurrency: "unbounded" }
      ))
      assert.deepStrictEqual(yield* contents(store.id), { sum: 45, n: 18 })
      const numbers = (yield* Effect.forEach(launched, ({ program }) => stream(program))).flat()
      assert.deepStrictEqual(numbers.toSorted((one, other) => one - other), Array.from({ length: 18 }, (_, n) => n))
    }).pipe(EngineFixture.onTestClock))

  it.effect("refuses a sum that is beyond the range of numbers, by the name of its key", () =>
    Effect.gen(function*() {
      const { launched: [{ actor, program } = undefined!], store } = yield* sharing(onRequest(`
        const { store } = this
        const most = Number.MAX_VALUE
        const add = (key) => store.increment(key, most).catch((error) => this.$emit(String(error)))
        await store.set("own", most)
        await add("own")
        await add("added")
        await add("added")
        await store.increment("below", -most)
        await store.increment("below", most)`))
      yield* send(actor, 1)
      assert.deepStrictEqual(yield* stream(program), [
        `RangeError: the sum for "own" is beyond the range of numbers`,
        `RangeError: the sum for "added" is beyond the range of numbers`
      ])
      assert.deepStrictEqual(yield* contents(store.id), { own: Number.MAX_VALUE, added: Number.MAX_VALUE, below: 0 })
    }).pipe(EngineFixture.onTestClock))

  it.effect("forgets values when their time is over", () =>
    Effect.gen(function*() {
      const { launched: [{ actor, program } = undefined!], store } = yield* sharing(onRequest(`
        const { store } = this
        if (event.body === 0) {
          await store.set("short", 1, { ttl: 60 })
          await store.set("kept", 1, { ttl: 60 })
          await store.setTtl("kept", null)
          await store.set("later", 1)
        }
        if (event.body === 1) await store.setTtl("later", 60)
        this.$emit(await store.keys())`))
      yield* send(actor, 0)
      yield* send(actor, 1)
      yield* TestClock.adjust("61 seconds")
      yield* send(actor, 2)
      assert.deepStrictEqual(yield* stream(program), [["short", "kept", "later"], ["kept", "later", "short"], ["kept"]])
      assert.deepStrictEqual(yield* contents(store.id), { kept: 1 })
    }).pipe(EngineFixture.onTestClock))
})
