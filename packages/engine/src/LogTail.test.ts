import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as TestTables from "@headwater/fixtures/TestTables"
import { EventLog } from "@headwater/log/EventLog"
import { GroupCommit } from "@headwater/log/GroupCommit"
import { Heads } from "@headwater/log/Heads"
import { Journals } from "@headwater/log/Journals"
import { Deferred, Effect, Fiber, Layer, PubSub, Random, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { LogTail } from "./LogTail.ts"
import { Draining } from "./placement/Draining.ts"

const accountId = Id.AccountId.make(Id.of("account", 1, new Uint8Array(Id.randomLength)))

/** Of an account with this many emitters, few emit. */
const emitters = 2_500
const busy = 12
const perEmitter = 60

const emitterOf = (n: number): string => `dc_${String(n).padStart(5, "0")}`

const tables = LogTail.layer.pipe(Layer.provideMerge(Layer.merge(TestTables.layer, Draining.layer)))

layer(tables, { excludeTestServices: true, timeout: "60 seconds" })("a tail of an account's logs", (it) => {
  it.effect("has each event once and those of an emitter in order, also where commits overlap and it goes on at a position", () =>
    Effect.gen(function*() {
      const [sql, journals, tail] = [yield* SqlClient.SqlClient, yield* Journals, yield* LogTail]
      const [heads, log, { committed }] = [yield* Heads, yield* EventLog, yield* GroupCommit]
      yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)`
      yield* sql`
        INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
        SELECT 'dc_' || to_char(n, 'FM00000'), ${accountId}, 1, '{"": 1}' FROM generate_series(0, ${emitters - 1}) AS n`
      yield* sql`
        INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
        SELECT 'dc_' || to_char(n, 'FM00000'), '', 1, 1, 'e', 0, '1' FROM generate_series(0, ${emitters - 1}) AS n`

      const idsOf = (n: number) => Array.from({ length: perEmitter }, (_, i) => BigInt(n * 1_000 + i + 2))
      const emit = (n: number) =>
        Effect.forEach(idsOf(n), (id) => {
          const event = { emitterId: emitterOf(n), stream: "", id, n: Number(id), emitId: "e", hops: 0, meta: {} }
          const to = { lastId: id, streams: { "": Number(id) } }
          return Effect.gen(function*() {
            yield* log.append([{ ...event, payload: String(id) }])
            yield* heads.move([{ emitterId: event.emitterId, to, used: undefined }])
            yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
          }).pipe(
            sql.withTransaction,
            Effect.andThen(PubSub.publish(committed, [{ accountId, events: [{ ...event, payload: "" }] }]))
          )
        }, { discard: true })
      const wanted = Array.from({ length: busy }, (_, n) => [emitterOf(n), idsOf(n)] as const)

      const opened = yield* Deferred.make<void>()
      const seen: Array<readonly [emitterId: string, id: bigint]> = []
      const positions: Array<{ readonly position: string; readonly had: number }> = []
      const live = yield* tail.followAccount(accountId, {}, undefined).pipe(
        Stream.tap(() => Deferred.succeed(opened, undefined)),
        Stream.tap(({ events, position }) =>
          Effect.sync(() => {
            for (const { emitterId, id } of events) seen.push([emitterId, id])
            if (position !== undefined) positions.push({ position, had: seen.length })
          })
        ),
        Stream.takeUntil(() => seen.length >= busy * perEmitter),
        Stream.runDrain,
        Effect.timeout("20 seconds"),
        Effect.forkChild
      )
      yield* Deferred.await(opened)
      const folding = yield* Effect.forkChild(Effect.forever(Effect.andThen(
        Effect.sleep("30 millis"),
        journals.foldEmitters(wanted.map(([emitterId]) => emitterId))
      )))
      yield* Effect.forEach(wanted, (_, n) => emit(n), { concurrency: 6, discard: true })
      yield* Fiber.join(live)
      yield* Fiber.interrupt(folding)
      const byEmitter = (events: ReadonlyArray<readonly [emitterId: string, id: bigint]>) =>
        [...Map.groupBy(events, ([emitterId]) => emitterId)]
          .map(([emitterId, own]) => [emitterId, own.map(([, id]) => id)] as const)
          .toSorted(([one], [other]) => one < other ? -1 : 1)
      assert.deepStrictEqual<unknown>(byEmitter(seen), wanted)
      assert.isAbove(positions.length, 5)

      for (const { had, position } of [positions[0]!, positions[positions.length >> 1]!]) {
        const again: Array<readonly [emitterId: string, id: bigint]> = []
        yield* tail.followAccount(accountId, {}, position).pipe(
          Stream.tap(({ events }) =>
            Effect.sync(() => void again.push(...events.map(({ emitterId, id }) => [emitterId, id] as const)))
          ),
          Stream.takeUntil((page) => again.length > 0 && page.position !== undefined),
          Stream.runDrain,
          Effect.timeout("20 seconds")
        )
        const keys = again.map(([emitterId, id]) => `${emitterId} ${id}`)
        assert.strictEqual(new Set(keys).size, keys.length)
        assert.includeMembers(keys, seen.slice(had).map(([emitterId, id]) => `${emitterId} ${id}`))
      }
      const all = yield* tail.followAccount(accountId, {}, "1").pipe(
        Stream.flatMap(({ events }) => Stream.fromIterable(events)),
        Stream.take(emitters + busy * perEmitter),
        Stream.map(({ emitterId, id }) => `${emitterId} ${id}`),
        Stream.runCollect,
        Effect.timeout("20 seconds")
      )
      assert.strictEqual(new Set(all).size, emitters + busy * perEmitter)
    }))
})
