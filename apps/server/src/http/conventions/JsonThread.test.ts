import { assert, layer } from "@effect/vitest"
import { AccountTurns, Turns } from "@headwater/domain/Turns"
import type { HttpRequestEvent } from "@headwater/engine/Ingest"
import { Effect, Layer } from "effect"
import { JsonThread } from "./JsonThread.ts"

const request: HttpRequestEvent = {
  method: "POST",
  path: "/",
  query: {},
  headers: {},
  client_ip: "127.0.0.1",
  url: "http://127.0.0.1:1/"
}

const task = (text: string, contentType = "application/json") => ({
  request,
  contentType,
  expanded: true,
  bytes: new TextEncoder().encode(text)
})

const large = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ i, text: "ü" })))

layer(JsonThread.layer, { excludeTestServices: true })("the thread for large JSON", (it) => {
  it.effect("says of a large body what is said of a small one", () =>
    Effect.gen(function*() {
      const thread = yield* JsonThread
      for (const text of ["[1]", large, `${large}!`]) {
        const event = JSON.parse((yield* thread.event("ann", task(text))).json) as Record<string, unknown>
        const body: unknown = text.endsWith("!") ? text : JSON.parse(text)
        assert.deepStrictEqual(event, { ...request, bodyRaw: text, body })
      }
      const answer = { page_info: { count: 1 }, data: [{ id: 1, list: JSON.parse(large) as unknown }] }
      const selection = { include: "id", exclude: undefined }
      const bytes = new TextEncoder().encode(JSON.stringify(answer))
      const projected = yield* thread.project("ann", { of: "answer", bytes, selection })
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(projected)), {
        page_info: { count: 1 },
        data: [{ id: 1 }]
      })
    }))

  it.effect("has another account's body next, however many one account has waiting", () =>
    Effect.gen(function*() {
      const thread = yield* JsonThread
      const done: Array<string> = []
      const read = (account: string) =>
        Effect.map(thread.event(account, task(large)), () => {
          done.push(account)
        })
      yield* Effect.all([...Array.from({ length: 20 }, () => read("ann")), read("bob")], { concurrency: "unbounded" })
      assert.isBelow(done.indexOf("bob"), 3)
    }))

  it.effect("goes on with one account's bodies while others are there too", () =>
    Effect.gen(function*() {
      const thread = yield* JsonThread
      const turns = yield* Turns
      turns.note("bob")
      turns.note("ann")
      const read = (account: string) => thread.event(account, task(large))
      const events = yield* Effect.all([read("ann"), read("ann"), read("ann")], { concurrency: "unbounded" })
      assert.lengthOf(events, 3)
      assert.isString((yield* Effect.andThen(read("ann"), read("bob"))).json)
    }))
})

const restMs = 200

class AlwaysResting extends AccountTurns {
  override restOf = () => restMs
}

layer(JsonThread.layer.pipe(Layer.provide(Layer.succeed(Turns, new AlwaysResting()))), { excludeTestServices: true })(
  "the thread for large JSON, while accounts rest",
  (it) => {
    it.effect("lets an account rest after its work even if another waits too", () =>
      Effect.gen(function*() {
        const thread = yield* JsonThread
        yield* thread.event("eve", task(large))
        const read = (account: string) => thread.event(account, task(large))
        const from = performance.now()
        yield* Effect.forEach(["ann", "bob", "ann", "bob", "ann", "bob", "ann"], read, { concurrency: "unbounded" })
        assert.isAtLeast(performance.now() - from, 3 * restMs - 5)
      }))
  }
)
