import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import type { Commit } from "../commit/Commit.ts"
import { CommitWriter } from "../commit/CommitWriter.ts"
import { GroupCommit } from "../commit/GroupCommit.ts"
import { Cursors, noTally, ownRequests, removeCursors } from "../work/Cursors.ts"
import { type Fence, Fences } from "./Fences.ts"
import { Heads } from "./Heads.ts"
import { foldEveryMs, Journals } from "./Journals.ts"
import { ProgramState } from "./ProgramState.ts"

const accountId = "u_test"

const Tables = Layer.merge(
  GroupCommit.layer,
  CommitWriter.layer.pipe(Layer.provide(GroupCommit.layer))
).pipe(Layer.provideMerge(TestDatabase.layer))

/** What is true of two emitters and of the webhook that listens to both. */
interface Truth {
  readonly heads: Record<string, { n: number; epoch: number }>
  readonly cursors: Record<string, { n: number; delivered: number; pending: number; filtered: number }>
  readonly usage: Record<string, number>
  readonly state: Record<string, string>
}

const parties = (run: string) => ({
  emitters: [`dc_${run}a`, `dc_${run}b`] as const,
  webhookId: `wh_${run}`,
  subscriptionId: `sub_${run}`
})

const furnish = Effect.fnUntraced(function*(run: string) {
  const sql = yield* SqlClient.SqlClient
  const { emitters, subscriptionId, webhookId } = parties(run)
  yield* sql`
    INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)
    ON CONFLICT DO NOTHING`
  yield* Effect.forEach(emitters, (id) => Effect.flatMap(Heads, (heads) => heads.create(id, accountId)))
  yield* (yield* Fences).create(webhookId, accountId)
  yield* sql`
    INSERT INTO subscriptions (id, account_id, emitter_id, emitter_like, listener_id, event_name, stream, created_at)
    VALUES (${subscriptionId}, ${accountId}, ${`dc_${run}*`}, ${`dc\\_${run}%`}, ${webhookId}, '', '', 0)`
})

const truthOf = Effect.fnUntraced(function*(run: string) {
  const sql = yield* SqlClient.SqlClient
  const like = `%\\_${run}_`
  const heads = yield* sql<{ emitter_id: string; epoch: bigint; last_id: bigint; streams: Record<string, number> }>`
    SELECT * FROM heads WHERE emitter_id LIKE ${like}`
  const cursors = yield* sql<{
    subscription_id: string
    emitter_id: string
    n: bigint
    id: bigint
    delivered: bigint
    pending: bigint
    filtered: bigint
  }>`SELECT * FROM cursors WHERE emitter_id LIKE ${like}`
  const usage = yield* sql<{ emitter_id: string; day: string; invocations: bigint }>`
    SELECT emitter_id, day::text AS day, sum(invocations)::bigint AS invocations FROM usage
    WHERE emitter_id LIKE ${like} GROUP BY emitter_id, day`
  const state = yield* sql<{ program_id: string; key: string; value: string }>`
    SELECT * FROM program_state WHERE program_id LIKE ${like}`
  for (const { last_id, streams } of heads) assert.strictEqual(Number(last_id), streams[""] ?? 0)
  for (const { id, n } of cursors) assert.strictEqual(id, n)
  return {
    heads: Object.fromEntries(
      heads.map((row) => [row.emitter_id, { n: row.streams[""] ?? 0, epoch: Number(row.epoch) }])
    ),
    cursors: Object.fromEntries(cursors.map((row) => [`${row.subscription_id} ${row.emitter_id}`, {
      n: Number(row.n),
      delivered: Number(row.delivered),
      pending: Number(row.pending),
      filtered: Number(row.filtered)
    }])),
    usage: Object.fromEntries(usage.map((row) => [`${row.emitter_id} ${row.day}`, Number(row.invocations)])),
    state: Object.fromEntries(state.map((row) => [`${row.program_id} ${row.key}`, row.value]))
  } satisfies Truth
})

/** What owners do, each as the one that is it or as the one before, and who folds beside that. */
const round = FastCheck.record({
  acquired: FastCheck.subarray([0, 1, 2]),
  commits: FastCheck.array(
    FastCheck.record({
      owner: FastCheck.nat(2),
      isStale: FastCheck.integer({ min: 0, max: 5 }).map((n) => n === 0),
      on: FastCheck.nat(1),
      settles: FastCheck.boolean()
    }),
    { maxLength: 6 }
  ),
  folds: FastCheck.nat(2),
  isCutOff: FastCheck.boolean(),
  isHeld: FastCheck.boolean()
})

type Round = typeof round extends FastCheck.Arbitrary<infer A> ? A : never

let runs = 0

const check = Effect.fnUntraced(function*(rounds: ReadonlyArray<Round>) {
  const run = `${runs++}x`
  yield* furnish(run)
  const { emitters, subscriptionId, webhookId } = parties(run)
  const owners = [...emitters, webhookId]
  const sql = yield* SqlClient.SqlClient
  const fences = yield* Fences
  const heads = yield* Heads
  const journals = yield* Journals
  const writer = yield* GroupCommit
  const truth: Truth = {
    heads: Object.fromEntries(emitters.map((id) => [id, { n: 0, epoch: 0 }])),
    cursors: {},
    usage: {},
    state: {}
  }
  const held = new Map<string, { readonly now: Fence; readonly before: Fence | undefined }>()

  const acquire = Effect.fnUntraced(function*(owner: number) {
    const id = owners[owner]!
    let now: Fence
    if (owner < 2) {
      const head = Option.getOrThrow(yield* heads.acquire(id))
      now = head.fence
      truth.heads[id]!.epoch += 1
      assert.deepStrictEqual([head.streams[""] ?? 0, Number(now.epoch)], [truth.heads[id]!.n, truth.heads[id]!.epoch])
    } else now = Option.getOrThrow(yield* fences.acquire(id))
    held.set(id, { now, before: held.get(id)?.now })
  })

  const cursorOf = (key: string) => truth.cursors[key] ??= { n: 0, delivered: 0, pending: 0, filtered: 0 }

  /** A commit of an emitter's owner: an event, a key of its store, what it used, and its request. */
  const ran = (emitterId: string, fence: Fence, isWritten: boolean): Commit => {
    const n = truth.heads[emitterId]!.n + 1
    const [day, key] = [`2026-01-0${1 + n % 2}`, `k${n % 3}`]
    if (isWritten) {
      truth.heads[emitterId]!.n = n
      truth.usage[`${emitterId} ${day}`] = (truth.usage[`${emitterId} ${day}`] ?? 0) + n
      if (n % 4 === 0) delete truth.state[`${emitterId} ${key}`]
      else truth.state[`${emitterId} ${key}`] = `${n}`
      const cursor = cursorOf(`${ownRequests} ${emitterId}`)
      cursor.n = n
      cursor.delivered += 1
    }
    return {
      head: { emitterId, accountId, fence, lastId: BigInt(n), streams: { "": n } },
      events: [{ emitterId, stream: "", n, id: BigInt(n), emitId: `${n}`, hops: 1, meta: {}, payload: "1" }],
      state: [{ programId: emitterId, key, value: n % 4 === 0 ? null : `${n}` }],
      usage: [{ emitterId, accountId, day, invocations: n, computeMs: 1 }],
      moves: [{
        subscriptionId: ownRequests,
        emitterId,
        from: n - 1,
        to: { n, id: BigInt(n) },
        tally: { ...noTally, delivered: 1 }
      }]
    }
  }

  /** A commit of the webhook's owner: a cursor goes on, or what it passed is settled. */
  const sent = (emitterId: string, fence: Fence, settles: boolean, isWritten: boolean): Commit => {
    const key = `${subscriptionId} ${emitterId}`
    const { n, pending } = truth.cursors[key] ?? { n: 0, pending: 0 }
    if (settles && pending > 0) {
      if (isWritten) {
        cursorOf(key).pending -= 1
        cursorOf(key).delivered += 1
      }
      return { fence, settlements: [{ subscriptionId, emitterId, tally: { ...noTally, pending: -1, delivered: 1 } }] }
    }
    if (isWritten) {
      cursorOf(key).n += 2
      cursorOf(key).pending += 1
      cursorOf(key).filtered += 1
    }
    const to = { n: n + 2, id: BigInt(n + 2) }
    return {
      fence,
      moves: [{ subscriptionId, emitterId, from: n, to, tally: { ...noTally, pending: 1, filtered: 1 } }]
    }
  }

  const keys = emitters.flatMap((emitterId) => [
    { subscriptionId, emitterId },
    { subscriptionId: ownRequests, emitterId }
  ])
  const foldAll = Effect.andThen(journals.foldEmitters(emitters), journals.foldCursors(keys))
  const snapshots: Array<Effect.Effect<unknown, unknown, SqlClient.SqlClient>> = []

  yield* Effect.forEach([0, 1, 2], acquire)
  for (const { acquired, commits, folds, isCutOff, isHeld } of rounds) {
    yield* Effect.forEach(acquired, acquire)
    if (isHeld && snapshots.length < 2) {
      const [seen, end] = [yield* Deferred.make<Truth>(), yield* Deferred.make<void>()]
      const fiber = yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.pipe(
        Effect.andThen(truthOf(run)),
        Effect.tap((truth) => Deferred.succeed(seen, truth)),
        Effect.tap(() => Deferred.await(end)),
        Effect.flatMap((then) => Effect.map(truthOf(run), (now) => assert.deepStrictEqual(now, then))),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(seen)
      snapshots.push(Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(fiber)))
    }
    const submissions = commits.flatMap(({ isStale, on, owner, settles }) => {
      const { before, now } = held.get(owners[owner]!)!
      const fence = isStale ? before : now
      if (fence === undefined) return []
      const commit = owner < 2
        ? ran(emitters[owner]!, fence, !isStale)
        : sent(emitters[on]!, fence, settles, !isStale)
      return [{ isStale, submission: writer.submit(commit) }]
    })
    const folding = yield* Effect.forkChild(
      Effect.all([
        ...Array.from({ length: folds }, () => foldAll),
        ...(isCutOff ? [Effect.flip(sql.withTransaction(Effect.andThen(foldAll, Effect.fail("cut off"))))] : [])
      ], { concurrency: "unbounded" })
    )
    for (const { isStale, submission } of submissions) {
      assert.strictEqual(Exit.isFailure(yield* Effect.exit(submission.durable)), isStale)
    }
    yield* Fiber.join(folding)
    assert.deepStrictEqual<unknown>(yield* truthOf(run), truth)
    for (const emitterId of emitters) {
      const stored = yield* (yield* ProgramState).load(emitterId)
      for (const [key, value] of Object.entries(stored)) {
        assert.strictEqual(truth.state[`${emitterId} ${key}`], value)
      }
    }
  }
  yield* Effect.forEach(snapshots, (ends) => ends)
  yield* journals.sweep
  assert.deepStrictEqual<unknown>(yield* truthOf(run), truth)
  // What goes takes with it what is folded of it and what is not, also beside its owner's last commits.
  const [gone] = emitters
  const last = writer.submit(sent(emitters[1], held.get(webhookId)!.now, false, false))
  const lastRun = writer.submit(ran(gone, held.get(gone)!.now, false))
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* heads.remove(gone)
    yield* (yield* Cursors).removeOfEmitter(gone)
    yield* sql`DELETE FROM subscriptions WHERE id = ${subscriptionId}`
    yield* removeCursors(sql, sql`subscription_id = ${subscriptionId}`)
  }))
  yield* last.durable
  const ended = yield* Effect.exit(lastRun.durable)
  if (Exit.isSuccess(ended)) {
    const day = `2026-01-0${1 + (truth.heads[gone]!.n + 1) % 2}`
    truth.usage[`${gone} ${day}`] = (truth.usage[`${gone} ${day}`] ?? 0) + truth.heads[gone]!.n + 1
  }
  yield* journals.sweep
  const left = yield* truthOf(run)
  assert.deepStrictEqual(Object.keys(left.heads), [emitters[1]])
  assert.deepStrictEqual(left.usage, truth.usage)
  assert.isTrue(Object.keys(left.cursors).every((key) => key === `${ownRequests} ${emitters[1]}`))
  const rows = yield* sql`
    SELECT subscription_id FROM cursors_journal WHERE subscription_id = ${subscriptionId} OR emitter_id = ${gone}
    UNION ALL SELECT emitter_id FROM heads_journal WHERE emitter_id = ${gone}
    UNION ALL SELECT program_id FROM program_state_journal WHERE program_id = ${gone}`
  assert.deepStrictEqual(rows, [])
})

layer(Tables, { timeout: "120 seconds", excludeTestServices: true })("what commits move", (it) => {
  it.effect("is the same whoever folds it and whenever, beside commits, stale owners and who holds a snapshot", () =>
    Effect.gen(function*() {
      const run = Effect.runPromiseWith(yield* Effect.context<Effect.Services<ReturnType<typeof check>>>())
      const property = FastCheck.asyncProperty(
        FastCheck.array(round, { minLength: 1, maxLength: 8 }),
        (rounds) => run(check(rounds))
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 40 }))
    }))

  for (const kind of ["source", "webhook"] as const) {
    it.effect(`is told to a ${kind}'s next owner only once the one before has written it, who writes nothing after`, () =>
      Effect.gen(function*() {
        const run = `two${kind}`
        yield* furnish(run)
        const { emitters: [emitterId], subscriptionId, webhookId } = parties(run)
        const sql = yield* SqlClient.SqlClient
        const cursors = yield* Cursors
        const writer = yield* CommitWriter
        const isSource = kind === "source"
        const ownerId = isSource ? emitterId : webhookId
        const acquire = Effect.map((yield* Fences).acquire(ownerId), Option.getOrThrow)
        const key = { subscriptionId: isSource ? ownRequests : subscriptionId, emitterId }
        const commit = (fence: Fence, n: number): Commit => ({
          ...(isSource
            ? {
              head: { emitterId, accountId, fence, lastId: BigInt(n), streams: { "": n } },
              events: [{ emitterId, stream: "", n, id: BigInt(n), emitId: `${n}`, hops: 1, meta: {}, payload: "1" }]
            }
            : { fence }),
          moves: [{ ...key, from: n - 1, to: { n, id: BigInt(n) }, tally: { ...noTally, delivered: 1 } }]
        })
        const position = Effect.map(
          isSource
            ? cursors.requestsPosition(emitterId)
            : Effect.map(cursors.position(key), (found) => Option.getOrThrow(found).position),
          ({ n }) => n
        )
        const older = yield* acquire
        const open = yield* inOpenTransaction(writer.write([commit(older, 1)]))
        const acquiring = yield* Effect.forkChild(Effect.zip(acquire, position))
        yield* lockWaits(1)
        yield* open.commit
        const [newer, seen] = yield* Fiber.join(acquiring)
        assert.strictEqual(seen, 1)
        assert.deepStrictEqual(yield* sql.withTransaction(writer.write([commit(older, 2)])), [])
        const group = yield* GroupCommit
        const stale = yield* Effect.flip(group.submit(commit(older, 2)).durable)
        assert.strictEqual(stale._tag, "Fenced")
        assert.strictEqual(yield* position, 1)
        yield* group.submit(commit(newer, 2)).durable
        assert.strictEqual(yield* position, 2)
      }))
  }
})

layer(Tables, { timeout: "60 seconds" })("what commits move, by the clock", (it) => {
  it.effect("is folded every few seconds, and looked up no further than that", () =>
    Effect.gen(function*() {
      yield* furnish("clock")
      const { emitters: [emitterId] } = parties("clock")
      const sql = yield* SqlClient.SqlClient
      const { fence } = Option.getOrThrow(yield* (yield* Heads).acquire(emitterId))
      const writer = yield* GroupCommit
      yield* writer.submit({
        head: { emitterId, accountId, fence, lastId: 7n, streams: { "": 1 } },
        events: [{ emitterId, stream: "", n: 1, id: 7n, emitId: "1", hops: 1, meta: {}, payload: "1" }]
      }).durable
      const folded = sql<{ last_id: bigint }>`SELECT last_id FROM heads_folded WHERE emitter_id = ${emitterId}`
      assert.deepStrictEqual(yield* folded, [{ last_id: 0n }])
      yield* TestClock.adjust(foldEveryMs)
      yield* Effect.repeat(TestClock.withLive(folded), { until: ([row]) => row!.last_id === 7n })
      assert.deepStrictEqual(yield* sql`SELECT FROM heads_journal WHERE emitter_id = ${emitterId}`, [])
    }))
})
