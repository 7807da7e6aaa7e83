import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as DatabaseClient from "@headwater/log/database/DatabaseClient"
import { Clock, Context, Duration, Effect, Exit, Fiber, Layer, type Redacted, Schedule } from "effect"
import { Entity, EntityId, Sharding } from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { Rpc } from "effect/rpc"
import { SqlClient } from "effect/sql"
import * as Cluster from "./Cluster.ts"

class OfEngine extends Context.Service<OfEngine, string>()("@headwater/test/OfEngine") {}
class Built extends Context.Service<Built, ReadonlyMap<string, unknown>>()("@headwater/test/Built") {}

it.effect("a lean layer is built with Effect's own services and none of the engine's, and adds what it makes", () =>
  Effect.gen(function*() {
    const clock = yield* Clock.Clock
    const seen = Layer.effect(Built, Effect.map(Effect.context<never>(), ({ mapUnsafe }) => mapUnsafe))
    const context = yield* Layer.build(Cluster.lean(seen))
    const built = Context.get(context, Built)
    assert.strictEqual(built.get(Clock.Clock.key), clock)
    assert.isFalse(built.has(OfEngine.key))
  }).pipe(Effect.provideService(OfEngine, "here"), Effect.scoped))

const Reader = Entity.make("Reader", [Rpc.make("Read")])

/** A node whose actors read from the database. */
const node = Effect.fnUntraced(function*(host: string, port: number, url: Redacted.Redacted) {
  const built: Array<string> = []
  const actors = Reader.toLayer(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    built.push((yield* Entity.CurrentAddress).entityId)
    return Reader.of({ Read: () => Effect.uninterruptible(Effect.orDie(Effect.asVoid(sql`SELECT 1`))) })
  }))
  const context = yield* Layer.build(actors.pipe(
    Layer.provideMerge(Cluster.layerNode({ host, port })),
    Layer.provideMerge(DatabaseClient.layer({ url })),
    Layer.provide([Reactivity.layer, NodeServices.layer]),
    Layer.fresh
  ))
  const client = yield* Effect.provideContext(Reader.client, context)
  const sharding = Context.get(context, Sharding.Sharding)
  const has = (id: string) => sharding.hasShardId(sharding.getShardId(EntityId.make(id), "default"))
  const read = (id: string) =>
    Effect.exit(client(id).Read()).pipe(
      Effect.repeat({ until: Exit.isSuccess, schedule: Schedule.spaced("100 millis") })
    )
  return { built, has, read }
})

it.live(
  "a node whose actor waits for a connection that is lost takes work again in less time than the actor's statement has",
  () =>
    Effect.gen(function*() {
      const { proxy, url } = yield* TestDatabase.proxied()
      const { read } = yield* node(yield* TemporaryDirectory.make("cluster"), 1, url)
      yield* read("one")
      proxy.hold()
      const lost = yield* Effect.forkChild(read("one"))
      yield* Effect.sleep("3 seconds")
      proxy.release({ present: false })
      const [took] = yield* Effect.timed(Fiber.join(lost))
      assert.isBelow(Duration.toSeconds(took), 40)
    }),
  120_000
)

it.live(
  "a node that another one joins keeps the actors of the shards that it keeps, however far the database is",
  () =>
    Effect.gen(function*() {
      const { url } = yield* TestDatabase.proxied({ roundTripMs: 20 })
      const host = yield* TemporaryDirectory.make("cluster")
      const first = yield* node(host, 1, url)
      const ids = Array.from({ length: 40 }, (_, index) => `actor-${index}`)
      yield* Effect.forEach(ids, first.read, { concurrency: "unbounded", discard: true })
      assert.sameMembers(first.built, ids)
      const second = yield* node(host, 2, url)
      yield* Effect.sync(() => ids.every((id) => first.has(id) !== second.has(id)) && ids.some(second.has)).pipe(
        Effect.repeat({ until: (areParted) => areParted, schedule: Schedule.spaced("50 millis") })
      )
      const kept = ids.filter(first.has)
      assert.isAbove(kept.length, 0)
      // The first looks which of its locks it has, again and again.
      yield* Effect.sleep("5 seconds")
      yield* Effect.forEach(kept, second.read, { concurrency: "unbounded", discard: true })
      assert.sameMembers(first.built, ids)
    }),
  120_000
)
