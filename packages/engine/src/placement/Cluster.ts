import { DatabaseSockets } from "@headwater/log/database/DatabaseClient"
import { Context, Effect, Layer, Option, type Scope, Semaphore } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerServer,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SqlRunnerStorage
} from "effect/cluster"
import { RpcSerialization, RpcServer } from "effect/rpc"
import { ShardsAcquired } from "../ground/ShardsAcquired.ts"
import * as Crossing from "./Crossing.ts"
import { mostActors } from "./LocalActors.ts"
import * as PeerSockets from "./PeerSockets.ts"

/**
 * Builds a layer with Effect's own services alone. The cluster copies the context that its parts are built in for each
 * actor and each call to one, and the engine would add some seventy services to it.
 */
export const lean = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(
    Effect.updateContext(Layer.build(layer), (all: Context.Context<R | Scope.Scope>) =>
      Context.makeUnsafe<R | Scope.Scope>(
        new Map([...all.mapUnsafe].filter(([key]) =>
          key.startsWith("effect/")
        ))
      ))
  )

const sharding = lean(Sharding.layer)

const config = {
  // Actors of this node are called in its own memory: nothing is gained by writing their messages down and up again.
  simulateRemoteSerialization: false,
  entityTerminationTimeout: "10 seconds",
  maxResidentEntities: mostActors
} as const

/** One node by itself. */
export const layerSingleNode: Layer.Layer<Crossing.Crossing | Sharding.Sharding | ShardsAcquired> = sharding.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([MessageStorage.layerNoop, ShardsAcquired.noting(RunnerStorage.layerMemory), RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(config)),
  Layer.provideMerge(Layer.merge(ShardsAcquired.layer, Crossing.Crossing.layerNone))
)

/**
 * The address at which a node of several answers the others. They speak without encryption and keys: a private
 * interface only. If `host` is the absolute path of a folder, all are on one machine and have unix sockets in it.
 */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** Largest message between nodes, in bytes: a wake with all the events it may hand over. */
const maxMessageBytes = 64 * 1024 * 1024

/** Answers the other nodes. */
const layerServing = RpcServer.layer(Runners.Rpcs.merge(Crossing.Rpcs), {
  spanPrefix: "RunnerServer",
  disableTracing: true,
  disableFatalDefects: true
}).pipe(Layer.provide([RunnerServer.layerHandlers, Crossing.layerHandlers]))

/**
 * The database's record of who has which shard. Connections that do not answer for it in time become suspect. Locks are
 * given up one at a time: a node that another one joins gives up more than a hundred, all go over one connection, and each
 * has 2 seconds from when it is asked for. If one is late, the connection is replaced, and all locks are lost with it.
 */
const runnerStorage = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function*() {
    const sockets = yield* DatabaseSockets
    const inner = yield* RunnerStorage.RunnerStorage
    const oneAtATime = (yield* Semaphore.make(1)).withPermit
    return RunnerStorage.RunnerStorage.of({
      ...inner,
      release: (address, shard) => oneAtATime(inner.release(address, shard)),
      refresh: (address, shards) => Effect.onError(inner.refresh(address, shards), () => sockets.suspect)
    })
  })
).pipe(Layer.provide(SqlRunnerStorage.layer))

/** One node of several that share the database, which holds who has which shard of the actors. */
export const layerNode = (address: NodeAddress) =>
  layerServing.pipe(
    Layer.provideMerge(sharding),
    Layer.provideMerge(Crossing.layerRunners),
    Layer.provideMerge(Crossing.Crossing.layer),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide([PeerSockets.layer(address), PeerSockets.layerClientProtocol]),
    Layer.provide(RunnerHealth.layerPing.pipe(
      Layer.provide(Runners.layerRpc),
      Layer.provide(PeerSockets.layerClientProtocol)
    )),
    Layer.provide([MessageStorage.layerNoop, ShardsAcquired.noting(runnerStorage)]),
    Layer.provide(ShardingConfig.layer({
      ...config,
      runnerAddress: Option.some(RunnerAddress.make(address.host, address.port)),
      // The same on every node. The shards of a node that ended without a word are free after the longest of these.
      shardLockRefreshInterval: "2 seconds",
      shardLockExpiration: "8 seconds",
      refreshAssignmentsInterval: "1 second",
      runnerHealthCheckInterval: "3 seconds"
    })),
    Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: maxMessageBytes })),
    Layer.provideMerge(ShardsAcquired.layer)
  )
