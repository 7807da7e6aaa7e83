import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as DatabaseClient from "@headwater/log/database/DatabaseClient"
import { Clock, Context, Duration, Effect, Fiber, Layer, Schedule } from "effect"
import { Entity } from "effect/cluster"
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

/** A node whose actors read from a database that is reached by a proxy. */
const readers = Effect.gen(function*() {
  const { proxy, url } = yield* TestDatabase.proxied
  const host = yield* TemporaryDirectory.make("cluster")
  const actors = Reader.toLayer(
    Effect.map(SqlClient.SqlClient, (sql) =>
      Reader.of({
        Read: () => Effect.uninterruptible(Effect.orDie(Effect.asVoid(sql`SELECT 1`)))
      }))
  )
  const context = yield* Layer.build(actors.pipe(
    Layer.provideMerge(Cluster.layerNode({ host, port: 1 })),
    Layer.provideMerge(DatabaseClient.layer({ url })),
    Layer.provide([Reactivity.layer, NodeServices.layer])
  ))
  const client = yield* Effect.provideContext(Reader.client, context)
  return { proxy, read: client("one").Read() }
})

it.live(
  "a node whose actor waits for a connection that is lost takes work again in less time than the actor's statement has",
  () =>
    Effect.gen(function*() {
      const { proxy, read } = yield* readers
      const taken = Effect.retry(read, Schedule.spaced("100 millis"))
      yield* taken
      proxy.hold()
      const lost = yield* Effect.forkChild(Effect.exit(read))
      yield* Effect.sleep("3 seconds")
      proxy.release({ present: false })
      const [took] = yield* Effect.timed(Effect.andThen(Fiber.join(lost), taken))
      assert.isBelow(Duration.toSeconds(took), 40)
    }),
  120_000
)
