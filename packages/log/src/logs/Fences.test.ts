import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "../../test/LockWaits.ts"
import { inOpenTransaction } from "../../test/OpenTransaction.ts"
import { Fences } from "./Fences.ts"
import { intoHeadsJournal } from "./Heads.ts"

layer(Fences.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("fences", (it) => {
  it.effect("make one owner after the other of those who ask for the same at once", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      for (const ownerId of ["dc_same", "dc_other"]) yield* fences.create(ownerId, "u_a")
      const epochs = yield* Effect.forEach(
        ["dc_same", "dc_other", "dc_same", "dc_none", "dc_same"],
        (ownerId) => Effect.map(fences.acquire(ownerId), Option.map(({ epoch }) => `${ownerId} ${epoch}`)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(epochs[3], Option.none())
      assert.deepStrictEqual(epochs.flatMap(Option.toArray).toSorted(), [
        "dc_other 1",
        "dc_same 1",
        "dc_same 2",
        "dc_same 3"
      ])
    }))

  it.effect("that are held keep only those waiting who ask for them", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      const ownerIds = Array.from({ length: 100 }, (_, n) => `dc_${n}`)
      yield* Effect.forEach(ownerIds, (ownerId) => fences.create(ownerId, "u_a"))
      const held = Option.getOrThrow(yield* fences.acquire("dc_3"))
      const open = yield* inOpenTransaction(fences.holdAll([held], []))
      const [waiting, ...others] = yield* Effect.forEach(
        ["dc_3", ...ownerIds.filter((ownerId) => ownerId !== "dc_3")],
        (ownerId) => Effect.forkChild(fences.acquire(ownerId))
      )
      for (const one of others) assert.strictEqual(Option.getOrThrow(yield* Fiber.join(one)).epoch, 1n)
      yield* lockWaits(1)
      yield* open.commit
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(waiting!)).epoch, 2n)
    }))

  it.effect("that are waited for come before the rows that are inserted under them", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      const sql = yield* SqlClient.SqlClient
      yield* fences.create("dc_waits", "u_a")
      const fence = Option.getOrThrow(yield* fences.acquire("dc_waits"))
      const open = yield* inOpenTransaction(fences.holdAll([fence], []))
      const move = { emitterId: "dc_waits", to: { lastId: 1n, streams: {} }, used: undefined }
      const inserting = yield* Effect.forkChild(fences.holdAll([fence], [intoHeadsJournal.of([move])]))
      yield* lockWaits(1)
      const [earlier] = yield* sql<{ seq: bigint }>`SELECT nextval('journal_seq') AS seq`
      yield* open.commit
      yield* Fiber.join(inserting)
      const rows = yield* sql<{ seq: bigint }>`SELECT seq FROM heads_journal WHERE emitter_id = 'dc_waits'`
      assert.strictEqual(rows.length, 1)
      assert.isAbove(Number(rows[0]!.seq), Number(earlier!.seq))
    }))

  it.effect("of another epoch let nothing be inserted", () =>
    Effect.gen(function*() {
      const fences = yield* Fences
      const sql = yield* SqlClient.SqlClient
      for (const ownerId of ["dc_lost", "dc_kept"]) yield* fences.create(ownerId, "u_a")
      const [lost, kept] = (yield* Effect.forEach(["dc_lost", "dc_kept"], fences.acquire)).map(Option.getOrThrow)
      yield* fences.acquire("dc_lost")
      const moves = ["dc_lost", "dc_kept"].map((emitterId) => ({
        emitterId,
        to: { lastId: 1n, streams: {} },
        used: undefined
      }))
      const exit = yield* Effect.exit(fences.holdAll([lost!, kept!], [intoHeadsJournal.of(moves)]))
      assert.strictEqual(exit._tag, "Failure")
      assert.deepStrictEqual(
        yield* sql`SELECT emitter_id FROM heads_journal WHERE emitter_id IN ('dc_lost', 'dc_kept')`,
        []
      )
    }))
})
