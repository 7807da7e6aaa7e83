import { assert, it, layer } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { EventLog } from "../logs/EventLog.ts"
import { Fences } from "../logs/Fences.ts"
import { type Head, Heads } from "../logs/Heads.ts"
import { beginning, type CursorMove, Cursors, noTally, ownRequests } from "../work/Cursors.ts"
import type { Commit } from "./Commit.ts"
import { type CommittedBatch, CommittedTopic, GroupCommit } from "./GroupCommit.ts"

const accountId = "u_test"

const Tables = GroupCommit.layer.pipe(Layer.provideMerge(TestDatabase.layerImpatient))

const emitters = Effect.fnUntraced(function*(...ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const heads = yield* Heads
  yield* sql`
    INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)
    ON CONFLICT DO NOTHING`
  return yield* Effect.forEach(ids, (id) =>
    Effect.andThen(
      heads.create(id, accountId),
      Effect.map(heads.acquire(id), Option.getOrThrow)
    ))
})

const durably = (writer: GroupCommit["Service"], make: () => Commit) =>
  Effect.andThen(writer.room(accountId), Effect.suspend(() => writer.submit(make()).durable))

const event = (head: Head, n: number, payload = "1"): LoggedEvent => ({
  emitterId: head.emitterId,
  stream: "",
  n,
  id: BigInt(n),
  emitId: `${head.emitterId}-${n}`,
  hops: 1,
  meta: {},
  payload
})

/** A commit of the event numbered `n`, as its owner would make it. */
const appending = (head: Head, n: number, payload?: string): Commit => ({
  head: { ...head, lastId: BigInt(n), streams: { "": n } },
  events: [event(head, n, payload)]
})

const move = (emitterId: string, from: number, to: number): CursorMove => ({
  subscriptionId: ownRequests,
  emitterId,
  from,
  to: { n: to, id: BigInt(to) },
  tally: { ...noTally, delivered: to - from }
})

/** How many transactions were begun: each counts its writer on. */
const begun = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ count: bigint | null }>`
      SELECT sum(batch)::bigint AS count FROM (SELECT max(batch) AS batch FROM batches GROUP BY writer_id) AS last`,
    ([row]) => Number(row?.count ?? 0)
  ))

const numbers = (emitterId: string) =>
  Effect.map(
    Effect.flatMap(EventLog, (log) => log.after({ emitterId, stream: "" }, 0n, 1_000, 1e9)),
    (events) => events.map(({ n }) => n)
  )

layer(Tables, { timeout: "60 seconds", excludeTestServices: true })("a group commit", (it) => {
  it.effect("writes many emitters' commits, each in its order, and tells of them in that order", () =>
    Effect.gen(function*() {
      const owners = yield* emitters("dc_a", "dc_b", "dc_c")
      const writer = yield* GroupCommit
      const told: Array<CommittedBatch> = []
      yield* writer.committed.listen((batch) => void told.push(batch))
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i + 1).flatMap((n) => owners.map((head) => appending(head, n))),
        (commit) => durably(writer, () => commit),
        { concurrency: "unbounded", discard: true }
      )
      const expected = Array.from({ length: 50 }, (_, i) => i + 1)
      for (const { emitterId } of owners) {
        assert.deepStrictEqual(yield* numbers(emitterId), expected)
        const head = Option.getOrThrow(yield* (yield* Heads).get(emitterId))
        assert.deepInclude(head, { lastId: 50n, streams: { "": 50 } })
      }
      const heard = told.flat().flatMap(({ events }) => events)
      assert.deepStrictEqual(heard.filter(({ emitterId }) => emitterId === "dc_b").map(({ n }) => n), expected)
    }))

  it.effect("refuses an owner whose epoch has passed and writes the others of its batch", () =>
    Effect.gen(function*() {
      const [stale, fine] = yield* emitters("dc_stale", "dc_fine")
      const fresh = Option.getOrThrow(yield* (yield* Heads).acquire("dc_stale"))
      const writer = yield* GroupCommit
      const [old, other, current] = yield* Effect.forEach(
        [appending(stale!, 1), appending(fine!, 1), appending(fresh, 1)],
        (commit) => Effect.exit(durably(writer, () => commit)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(Exit.isFailure(old!))
      assert.isTrue(Exit.isSuccess(other!))
      assert.isTrue(Exit.isSuccess(current!))
      assert.deepStrictEqual(yield* numbers("dc_stale"), [1])
    }))

  it.effect("a commit the database refuses fails alone, and what its owner had in line behind it with it", () =>
    Effect.gen(function*() {
      const [bad, good] = yield* emitters("dc_bad", "dc_good")
      const writer = yield* GroupCommit
      const commits = [
        appending(good!, 1),
        appending(bad!, 1, "\u0000"),
        appending(bad!, 2),
        appending(good!, 2)
      ]
      const exits = yield* Effect.forEach(commits, (commit) => Effect.exit(durably(writer, () => commit)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false, true])
      assert.deepStrictEqual(yield* numbers("dc_bad"), [])
      assert.deepStrictEqual(yield* numbers("dc_good"), [1, 2])
      // Under a new epoch the owner starts over where the log stands.
      const again = Option.getOrThrow(yield* (yield* Heads).acquire("dc_bad"))
      yield* durably(writer, () => appending(again, 1))
      assert.deepStrictEqual(yield* numbers("dc_bad"), [1])
    }))

  it.effect("remembers whose commit the database refused while there is a head of theirs, and no longer", () =>
    Effect.gen(function*() {
      const writer = yield* GroupCommit
      const owner = yield* Effect.gen(function*() {
        const [head] = yield* emitters("dc_forgotten")
        yield* Effect.flip(writer.submit(appending(head!, 1, "\u0000")).durable)
        // As a run hands over what began before that.
        const late = yield* Effect.flip(writer.submit(appending(head!, 2)).durable)
        assert.strictEqual(late._tag, "Fenced")
        return new WeakRef(head!.fence)
      })
      // What the writer did last it may still hold.
      yield* durably(writer, () => ({}))
      setFlagsFromString("--expose-gc")
      const collect: () => void = runInNewContext("gc")
      const isGone = Effect.sync(() => {
        collect()
        return owner.deref() === undefined
      })
      yield* Effect.repeat(isGone, { until: (gone) => gone, schedule: Schedule.spaced("10 millis"), times: 100 })
      assert.isTrue(yield* isGone)
    }))

  it.effect("a refused commit costs its batch some transactions, and then none while its owner goes on", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 63 }, (_, n) => `dc_near_${n}`)
      const near = yield* emitters(...names)
      yield* emitters("dc_offender")
      const writer = yield* GroupCommit
      const heads = yield* Heads
      const round = Effect.fnUntraced(function*(n: number) {
        const before = yield* begun
        const offender = Option.getOrThrow(yield* heads.acquire("dc_offender"))
        const commits = near.map((head) => appending(head, n)).toSpliced(20, 0, appending(offender, n, "\u0000"))
        const submissions = commits.map((commit) => writer.submit(commit))
        const exits = yield* Effect.forEach(submissions, ({ durable }) => Effect.exit(durable))
        assert.deepStrictEqual(exits.map(Exit.isSuccess), commits.map((_, index) => index !== 20))
        return (yield* begun) - before
      })
      assert.isAtMost(yield* round(1), 20)
      assert.strictEqual(yield* round(2), 1)
      assert.strictEqual(yield* round(3), 1)
      for (const name of names) assert.deepStrictEqual(yield* numbers(name), [1, 2, 3])
    }))

  it.effect("a change of a resource holds up no commit but those of its owner", () =>
    Effect.gen(function*() {
      const [changing, other] = yield* emitters("dc_changing", "dc_other")
      const writer = yield* GroupCommit
      const changed = yield* Deferred.make<void>()
      const submit = (commit: Commit) => writer.submit(commit).durable
      const mine = [
        submit(appending(changing!, 1)),
        submit({ ...appending(changing!, 2), also: Deferred.await(changed) }),
        submit(appending(changing!, 3))
      ]
      yield* submit(appending(other!, 1))
      yield* mine[0]!
      yield* submit(appending(other!, 2))
      assert.deepStrictEqual(yield* numbers("dc_changing"), [1])
      yield* Deferred.succeed(changed, undefined)
      yield* Effect.all(mine)
      assert.deepStrictEqual(yield* numbers("dc_changing"), [1, 2, 3])
      assert.deepStrictEqual(yield* numbers("dc_other"), [1, 2])
    }))

  it.effect("rows that a stranger keeps locked hold up no commit but those of their owner", () =>
    Effect.gen(function*() {
      const [stuck, other] = yield* emitters("dc_stuck", "dc_moving")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const ended: Array<string> = []
      const submit = (name: string, commit: Commit) => {
        const submission = writer.submit(commit)
        submission.onEnd((exit) => ended.push(`${name} ${exit._tag}`))
        return Effect.exit(submission.durable)
      }
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = 'dc_stuck' FOR UPDATE`
        yield* Effect.all([
          submit("stuck 1", appending(stuck!, 1)),
          submit("stuck 2", { ...appending(stuck!, 2), also: Effect.void }),
          submit("moving 1", appending(other!, 1)),
          submit("moving 2", appending(other!, 2))
        ])
      }))
      assert.deepStrictEqual(ended, ["moving 1 Success", "moving 2 Success", "stuck 1 Failure", "stuck 2 Failure"])
    }))

  it.effect("a table that a stranger keeps locked fails nobody's commit, and slows nobody's once it is free", () =>
    Effect.gen(function*() {
      const owners = yield* emitters(...Array.from({ length: 64 }, (_, n) => `dc_table_${n}`))
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const ended: Array<string> = []
      const submit = (n: number) =>
        owners.map((head) => {
          const submission = writer.submit(appending(head, n))
          submission.onEnd((exit) => ended.push(exit._tag))
          return submission.durable
        })
      const { commit } = yield* inOpenTransaction(sql`LOCK TABLE events`)
      const waiting = [...submit(1), ...submit(2)]
      yield* lockWaits(25)
      assert.deepStrictEqual(ended, [])
      yield* commit
      yield* Effect.all(waiting)
      assert.deepStrictEqual(yield* numbers("dc_table_63"), [1, 2])
      const before = yield* begun
      yield* Effect.all(submit(3))
      assert.strictEqual((yield* begun) - before, 1)
    }))

  it.effect("the rows of many owners that a stranger keeps locked hold up no other's commit", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 12 }, (_, n) => `dc_held_${n}`)
      const held = yield* emitters(...names)
      const [other] = yield* emitters("dc_not_held")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const { commit } = yield* inOpenTransaction(
        sql`SELECT FROM fences WHERE ${sql.in("owner_id", names)} FOR UPDATE`
      )
      const waiting = held.map((head) => writer.submit(appending(head, 1)).durable)
      // None of the first batch can be written.
      yield* lockWaits(1)
      yield* writer.submit(appending(other!, 1)).durable
      yield* commit
      yield* Effect.forEach(waiting, (durable) => Effect.exit(durable))
    }))

  it.effect("moves a cursor under the fence of its owner alone, several moves of one in a batch included", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_cursor")
      const { fence } = owner!
      const writer = yield* GroupCommit
      const cursors = yield* Cursors
      yield* Effect.all([
        durably(writer, () => ({ fence, moves: [move("dc_cursor", 0, 2)] })),
        durably(writer, () => ({ fence, moves: [move("dc_cursor", 2, 3)] }))
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* cursors.requestsPosition("dc_cursor"), { n: 3, id: 3n })
      yield* (yield* Fences).acquire("dc_cursor")
      const refused = yield* Effect.flip(durably(writer, () => ({ fence, moves: [move("dc_cursor", 3, 4)] })))
      assert.strictEqual(refused._tag, "Fenced")
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ delivered: bigint }>`SELECT delivered FROM cursors WHERE emitter_id = 'dc_cursor'`
      assert.strictEqual(row!.delivered, 3n)
    }))

  it.effect("moves no cursor of a subscription that is gone", () =>
    Effect.gen(function*() {
      yield* emitters("dc_lonely")
      const gone = { ...move("dc_lonely", 0, 1), subscriptionId: "sub_gone" }
      const [lonely] = yield* emitters("dc_going_on")
      const writer = yield* GroupCommit
      // What else the commit says stands: a subscription may go while an event of it is being run.
      yield* durably(writer, () => ({ ...appending(lonely!, 1), moves: [gone] }))
      assert.deepStrictEqual(yield* numbers("dc_going_on"), [1])
      const position = yield* (yield* Cursors).position({ subscriptionId: "sub_gone", emitterId: "dc_lonely" })
      assert.isTrue(Option.isNone(position))
      assert.deepStrictEqual(beginning, { n: 0, id: 0n })
    }))

  it.effect("writes everything once while the database keeps cutting its connections", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_cut")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const cutting = yield* sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`.pipe(
        Effect.ignore,
        Effect.andThen(Effect.sleep("3 millis")),
        Effect.forever,
        Effect.forkChild
      )
      const count = 300
      yield* Effect.forEach(
        Array.from({ length: count }, (_, i) => i + 1),
        (n) => {
          // Some in a transaction of their own.
          const commit = n % 10 === 0 ? { ...appending(owner!, n), also: Effect.void } : appending(owner!, n)
          return Effect.andThen(Effect.sleep(`${n} millis`), durably(writer, () => commit))
        },
        { concurrency: "unbounded", discard: true }
      )
      yield* Fiber.interrupt(cutting)
      assert.deepStrictEqual(yield* numbers("dc_cut"), Array.from({ length: count }, (_, i) => i + 1))
    }))

  it.effect("does again what a lost connection cut off in the middle, and refuses nothing for it", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_middle")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = 'dc_middle' FOR UPDATE`
        const fiber = yield* Effect.forkDetach(durably(writer, () => appending(owner!, 1)))
        // Ends the writer's connection where it waits for the row.
        yield* sql`SELECT pg_stat_clear_snapshot()`.pipe(
          Effect.andThen(sql`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`),
          Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") })
        )
        return fiber
      }))
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* numbers("dc_middle"), [1])
    }))

  it.effect("gives up on rows that stay locked, so that the others' commits go on", () =>
    Effect.gen(function*() {
      const [locked, free] = yield* emitters("dc_locked", "dc_free")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = 'dc_locked' FOR UPDATE`
        const stuck = yield* Effect.forkDetach(Effect.flip(durably(writer, () => appending(locked!, 1))))
        yield* durably(writer, () => appending(free!, 1))
        const refused = yield* Fiber.join(stuck)
        assert.strictEqual(refused._tag, "Fenced")
      }))
      assert.deepStrictEqual(yield* numbers("dc_free"), [1])
      assert.deepStrictEqual(yield* numbers("dc_locked"), [])
    }))

  it.effect("lets so many bytes in line at most, and so many of an account that others find room", () =>
    Effect.gen(function*() {
      const writer = yield* GroupCommit
      const state = [{ programId: "dc_large", key: "k", value: "x".repeat(5 * 1024 * 1024) }]
      const fill = (accountId: string) => {
        const filled = []
        while (!writer.isFull(accountId)) filled.push(writer.submit({ accountId, state }))
        return filled
      }
      const many = ["u_1", "u_2", "u_3", "u_4"].map(fill)
      assert.deepStrictEqual(many.map(({ length }) => length), [4, 4, 4, 2])
      assert.isFalse(writer.isFull("u_5"))
      yield* writer.room("u_1")
      assert.isFalse(writer.isFull("u_1"))
      yield* Effect.forEach(many.flat(), ({ durable }) => durable)
    }))

  it.effect("has everybody's commits in a batch, however much one account has waiting", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (id, username, email, plan, created_at) VALUES ('u_other', 'b', 'b@b', 'free', 0)`
      const [much] = yield* emitters("dc_much")
      const heads = yield* Heads
      yield* heads.create("dc_little", "u_other")
      const little = Option.getOrThrow(yield* heads.acquire("dc_little"))
      const writer = yield* GroupCommit
      const told: Array<CommittedBatch> = []
      yield* writer.committed.listen((batch) => void told.push(batch))
      const payload = JSON.stringify("x".repeat(100_000))
      const commits = Array.from({ length: 100 }, (_, i) => appending(much!, i + 1, payload))
      yield* Effect.forEach(
        [...commits, appending(little, 1)],
        (commit) => durably(writer, () => commit),
        { concurrency: "unbounded", discard: true }
      )
      const [first] = told
      assert.sameMembers(first!.map(({ accountId }) => accountId), ["u_other", ...first!.slice(1).map(() => accountId)])
      assert.isBelow(first!.length, commits.length / 2)
      assert.lengthOf(yield* numbers("dc_much"), commits.length)
    }))

  it.effect("writes small commits while a large one is under way, but those of its emitter after it", () =>
    Effect.gen(function*() {
      const [large, small] = yield* emitters("dc_large", "dc_small")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const payload = JSON.stringify("x".repeat(1_000_000))
      const [first, second] = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = 'dc_large' FOR UPDATE`
        const held = writer.submit(appending(large!, 1, payload))
        const behind = writer.submit(appending(large!, 2))
        const ended: Array<string> = []
        held.onEnd(() => ended.push("held"))
        behind.onEnd(() => ended.push("behind"))
        yield* durably(writer, () => appending(small!, 1))
        assert.deepStrictEqual(ended, [])
        return [held, behind]
      }))
      yield* first!.durable
      yield* second!.durable
      assert.deepStrictEqual(yield* numbers("dc_large"), [1, 2])
    }))

  it.effect("writes the small commits of an owner that wait behind its large one together", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_after_large")
      const writer = yield* GroupCommit
      const before = yield* begun
      const submissions = Array.from(
        { length: 101 },
        (_, i) => writer.submit(appending(owner!, i + 1, i === 0 ? `"${"x".repeat(200_000)}"` : "1"))
      )
      yield* Effect.forEach(submissions, ({ durable }) => durable)
      assert.deepStrictEqual(yield* numbers("dc_after_large"), Array.from({ length: 101 }, (_, i) => i + 1))
      assert.isAtMost((yield* begun) - before, 5)
    }))

  it.effect("has a listener come to an emitter's first event while a large commit of that emitter is under way", () =>
    Effect.gen(function*() {
      const [large, listener] = yield* emitters("dc_large_new", "dc_listener")
      const writer = yield* GroupCommit
      const underWay = yield* inOpenTransaction((yield* Fences).hold([large!.fence]))
      yield* durably(writer, () => ({ ...appending(listener!, 1), moves: [move("dc_large_new", 0, 1)] }))
      yield* underWay.commit
    }))

  it.effect("writes a commit of very many rows whole", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_rows")
      const writer = yield* GroupCommit
      const count = 20_000
      const events = Array.from({ length: count }, (_, i) => event(owner!, i + 1))
      yield* durably(writer, () => ({
        head: { ...owner!, lastId: BigInt(count), streams: { "": count } },
        events
      }))
      assert.strictEqual(yield* (yield* EventLog).count({ emitterId: "dc_rows", stream: "" }), count)
      const [row] = yield* (yield* SqlClient.SqlClient)<{ count: bigint }>`
        SELECT count(*) AS count FROM events WHERE emitter_id = 'dc_rows'`
      assert.strictEqual(row!.count, BigInt(count))
    }))

  it.effect("lets as many commits in line as there is room for, and the others when there is again", () =>
    Effect.gen(function*() {
      const [owner] = yield* emitters("dc_crowd")
      const writer = yield* GroupCommit
      const sql = yield* SqlClient.SqlClient
      const order: Array<string> = []
      const waiting = (name: string) =>
        Effect.forkDetach(Effect.map(writer.room(accountId), () => {
          writer.submit({ accountId })
          order.push(name)
        }))
      const last = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT FROM fences WHERE owner_id = 'dc_crowd' FOR UPDATE`
        yield* Effect.yieldNow
        const held = writer.submit(appending(owner!, 1))
        assert.isFalse(writer.isFull(accountId))
        const others = Array.from({ length: 2_499 }, () => writer.submit({ accountId }))
        assert.isTrue(writer.isFull(accountId))
        assert.isFalse(writer.isFull("u_else"))
        const [first, gone, second] = yield* Effect.all([waiting("first"), waiting("gone"), waiting("second")])
        const room = yield* Effect.forkDetach(writer.room(accountId))
        yield* Fiber.interrupt(gone)
        assert.deepStrictEqual([order, room.pollUnsafe()], [[], undefined])
        return [
          ...[...others, held].map(({ durable }) => durable),
          ...[Fiber.join(first), Fiber.join(second), Fiber.join(room)].map(Effect.asVoid)
        ]
      }))
      yield* Effect.all(last)
      assert.deepStrictEqual(order, ["first", "second"])
      assert.isFalse(writer.isFull(accountId))
      yield* durably(writer, () => ({}))
    }))
})

layer(Tables, { timeout: "60 seconds" })("a group commit, by the clock", (it) => {
  it.effect("writes an owner's commits with the others' again soon after a lock of its rows", () =>
    Effect.gen(function*() {
      const [locked, other] = yield* emitters("dc_once_locked", "dc_beside_it")
      const writer = yield* GroupCommit
      const { commit } = yield* inOpenTransaction((yield* Fences).hold([locked!.fence]))
      const refused = yield* Effect.flip(writer.submit(appending(locked!, 1)).durable)
      assert.strictEqual(refused._tag, "Fenced")
      yield* commit
      yield* TestClock.adjust("10 seconds")
      yield* durably(writer, () => appending(other!, 1))
      const before = yield* begun
      const again = Option.getOrThrow(yield* (yield* Heads).acquire("dc_once_locked"))
      const submissions = [appending(again, 1), appending(other!, 2)].map((commit) => writer.submit(commit))
      yield* Effect.forEach(submissions, ({ durable }) => durable)
      assert.strictEqual((yield* begun) - before, 1)
    }))
})

it.effect("tells each listener of all batches in their order, though another one fails over each", () =>
  Effect.gen(function*() {
    const topic = new CommittedTopic()
    yield* Effect.forkScoped(topic.telling)
    yield* topic.listen(() => assert.fail("a defect"))
    const heard: Array<CommittedBatch> = []
    yield* topic.listen((batch) => void heard.push(batch))
    const batches = ["u_1", "u_2", "u_3"].map((accountId): CommittedBatch => [{ accountId, events: [] }])
    const [first, ...others] = batches
    topic.tell(first!)
    assert.isFalse(topic.isTold)
    yield* Effect.repeat(Effect.yieldNow, { until: () => topic.isTold })
    for (const batch of others) topic.tell(batch)
    yield* Effect.repeat(Effect.yieldNow, { until: () => topic.isTold })
    assert.deepStrictEqual(heard, batches)
  }))
