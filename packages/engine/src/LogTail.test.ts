import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as TestTables from "@headwater/fixtures/TestTables"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Journals } from "@headwater/log/logs/Journals"
import { Context, Deferred, Effect, Fiber, Layer, Random, Schedule, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Draining } from "./ground/Draining.ts"
import { LogTail } from "./LogTail.ts"

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
      // A head is of the transaction of its log's last event, as it is when a commit moves it.
      yield* sql.withTransaction(Effect.andThen(
        sql`
          INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
          SELECT 'dc_' || to_char(n, 'FM00000'), ${accountId}, 1, '{"": 1}' FROM generate_series(0, ${
          emitters - 1
        }) AS n`,
        sql`
          INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
          SELECT 'dc_' || to_char(n, 'FM00000'), '', 1, 1, 'e', 0, '1' FROM generate_series(0, ${emitters - 1}) AS n`
      ))

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
            Effect.andThen(Effect.sync(() => committed.tell([{ accountId, events: [{ ...event, payload: "" }] }])))
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

layer(Layer.merge(TestTables.layer, Draining.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "tails of one log",
  (it) => {
    it.effect("are served by the same reads, each with all events in order", () =>
      Effect.gen(function*() {
        const [heads, log, { committed }] = [yield* Heads, yield* EventLog, yield* GroupCommit]
        const sql = yield* SqlClient.SqlClient
        let reads = 0
        const counting = EventLog.of({
          ...log,
          outlinesAfter: (...args) => {
            reads += 1
            return log.outlinesAfter(...args)
          }
        })
        const tail = yield* Effect.map(
          Layer.build(LogTail.layer.pipe(Layer.provide(Layer.succeed(EventLog, counting)))),
          Context.get(LogTail)
        )
        yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)`
        const address = { emitterId: emitterOf(1), stream: "" }
        yield* heads.create(address.emitterId, accountId)
        const append = (n: number) => {
          const event = { ...address, id: BigInt(n), n, emitId: "e", hops: 0, meta: {}, payload: String(n) }
          return Effect.andThen(
            log.append([event]),
            Effect.sync(() => committed.tell([{ accountId, events: [event] }]))
          )
        }
        const followers = 100
        const ids = Array.from({ length: 20 }, (_, n) => n + 1)
        let seen = 0
        const following = yield* Effect.forEach(Array.from({ length: followers }), () => {
          const own: Array<number> = []
          return tail.follow(address, 0n).pipe(
            Stream.tap((page) =>
              Effect.sync(() => {
                own.push(...page.map(({ n }) => n))
                seen += page.length
              })
            ),
            Stream.takeUntil(() => own.length >= ids.length),
            Stream.runDrain,
            Effect.as(own),
            Effect.forkChild({ startImmediately: true })
          )
        })
        for (const n of ids) {
          yield* append(n)
          yield* Effect.suspend(() => seen === n * followers ? Effect.void : Effect.fail("not yet")).pipe(
            Effect.retry(Schedule.spaced("5 millis"))
          )
        }
        for (const own of yield* Effect.forEach(following, Fiber.join)) assert.deepStrictEqual(own, ids)
        // Of each event once, and once again to find nothing behind it; more where that takes longer than it is shared.
        assert.isBelow(reads, ids.length * followers / 4)
      }))

    it.effect("say nothing where the server has begun to end", () =>
      Effect.gen(function*() {
        const tail = yield* Effect.map(Layer.build(LogTail.layer), Context.get(LogTail))
        yield* (yield* Draining).begin
        assert.deepStrictEqual(yield* Stream.runCollect(tail.follow({ emitterId: emitterOf(1), stream: "" }, 0n)), [])
        assert.deepStrictEqual(yield* Stream.runCollect(tail.followAccount(accountId, {}, undefined)), [])
      }))
  }
)
