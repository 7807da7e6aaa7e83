import * as RandomBytes from "@headwater/domain/RandomBytes"
import { Seal } from "@headwater/domain/Seal"
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { AccountErasure } from "@headwater/engine/AccountErasure"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { ActorCalls } from "@headwater/engine/ActorCalls"
import * as Engine from "@headwater/engine/Engine"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { isAtRest } from "@headwater/engine/testing/ClockAdvance"
import { layerSingleNode } from "@headwater/engine/testing/Cluster"
import * as Wake from "@headwater/engine/testing/Wake"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import * as Tables from "@headwater/log/Tables"
import { beforeAll, DueWork } from "@headwater/log/work/DueWork"
import { accessibleExecutable, sandboxIdentity } from "@headwater/postgres/Unprivileged"
import { Packages } from "@headwater/sandbox/Packages"
import { PythonPackages } from "@headwater/sandbox/PythonPackages"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { packagedDenoPath, SandboxConfig, type SandboxOptions } from "@headwater/sandbox/SandboxConfig"
import { SandboxPool } from "@headwater/sandbox/SandboxPool"
import { Diagnosis } from "@headwater/server/Diagnosis"
import * as HttpApp from "@headwater/server/http/HttpApp"
import { HttpSettings } from "@headwater/server/http/HttpSettings"
import { NodeServer } from "@headwater/server/http/NodeServer"
import { Clock, Context, Duration, Effect, Exit, Layer, Redacted, References, Schedule, Scheduler, Scope } from "effect"
import { Digest, WebCrypto } from "effect/crypto"
import * as Fs from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Activity } from "./Activity.ts"
import { EndableClock } from "./EndableClock.ts"
import * as PostgresTraffic from "./PostgresTraffic.ts"
import * as ProcessFolder from "./ProcessFolder.ts"
import { SteppedClock } from "./SteppedClock.ts"
import * as TestAuthority from "./TestAuthority.ts"
import { type Link, TestNetwork } from "./TestNetwork.ts"
import * as TestPostgres from "./TestPostgres.ts"

/** That of the system, whatever is provided in its place. */
const realClock = Context.get(Context.empty(), Clock.Clock)

/** Any heap that a workflow can have, whatever the operator of its server allows, in MiB. */
const maxHeapMebibytes = 16_384

const settings: HttpSettings["Service"] = {
  maxBody: 10 * 1024 * 1024,
  rateLimit: 0,
  byteRateLimit: 0,
  maxCode: 10 * 1024 * 1024,
  maxProp: 1024 * 1024,
  maxStoredValue: 1024 * 1024,
  maxHeapMebibytes
}

/** A port of the loopback interface that nothing listened on a moment ago. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** The same cryptography, which other threads do. */
const countedCrypto = (activity: Activity): typeof crypto => ({
  ...crypto,
  subtle: activity.counted("cryptography", crypto.subtle),
  getRandomValues: crypto.getRandomValues.bind(crypto),
  randomUUID: crypto.randomUUID.bind(crypto)
})

/** The same sandbox, whose work is counted. */
const countedSandbox = (activity: Activity) =>
  Layer.effect(
    Sandbox,
    Effect.map(Sandbox, (sandbox) => {
      const counted = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.suspend(() => Effect.ensuring(work, Effect.sync(activity.begin("runs of code"))))
      return Sandbox.of({
        ...sandbox,
        inspect: (request) => counted(sandbox.inspect(request)),
        run: (request) => counted(sandbox.run(request)),
        runBatch: (request) =>
          Effect.suspend(() => {
            const end = activity.begin("runs of code")
            return Effect.map(sandbox.runBatch(request), ({ giveUp, next }) => ({
              giveUp: Effect.andThen(giveUp, Effect.sync(end)),
              next: Effect.onExit(next, (exit) =>
                Effect.sync(() => {
                  if (Exit.isFailure(exit) || exit.value.length === 0) end()
                }))
            }))
          })
      })
    })
  )

/** The same client, whose requests are counted. */
const countedHttp = (activity: Activity) =>
  Layer.effect(
    EgressHttp,
    Effect.map(EgressHttp, (http) =>
      EgressHttp.of({
        ...http,
        request: (request) =>
          Effect.suspend(() => Effect.ensuring(http.request(request), Effect.sync(activity.begin("requests")))),
        start: (request, onEnd) => {
          const end = activity.begin("requests")
          const { cancel } = http.start(request, (ending) => {
            onEnd(ending)
            end()
          })
          return {
            cancel: () => {
              cancel()
              end()
            }
          }
        }
      }))
  )

/** The surroundings of the engine: the way to the outside, sandboxes, and packages. */
const surroundings = ({ activity, link, network, realClock, sandbox }: EngineOptions) =>
  Layer.mergeAll(
    countedSandbox(activity).pipe(
      Layer.provide(Sandbox.layerNoPool),
      Layer.provide(SandboxPool.layer),
      Layer.provide([SandboxConfig.layer({ ...sandbox, limits: { maxHeapMebibytes } }), EgressBroker.layer()])
    ),
    countedHttp(activity).pipe(Layer.provide(EgressHttp.layer({ extraCa: network.authority.certificate }))),
    Packages.layer({ directory: Path.join(sandbox.cacheDir, "packages") }),
    PythonPackages.layer({}).pipe(
      Layer.provide(EgressHttp.layer()),
      Layer.provide(EgressGuard.layer(EgressAllowList.empty))
    )
  ).pipe(
    Layer.provideMerge(network.layer(link, EgressGuard.layer(EgressAllowList.empty))),
    Layer.provide(Layer.succeed(Clock.Clock, realClock))
  )

/** The place for what takes long to make, as other tools have it: the next tests find it there. */
const keptDir = (): Pick<SandboxOptions, "keptDir"> =>
  Fs.existsSync("node_modules") ? { keptDir: Path.resolve("node_modules/.cache/headwater") } : {}

const sandboxOptions = Effect.fnUntraced(function*(authority: string, clock: Clock.Clock) {
  const cacheDir = ProcessFolder.make("sandbox")
  Fs.chmodSync(cacheDir, 0o711)
  const extraCaFile = Path.join(cacheDir, "authority.pem")
  Fs.writeFileSync(extraCaFile, authority)
  const identity = sandboxIdentity()
  return {
    denoPath: yield* accessibleExecutable(packagedDenoPath()),
    cacheDir,
    ...keptDir(),
    extraCaFile,
    componentTime: () => ({ mode: "standing" as const, at: clock.currentTimeMillisUnsafe() }),
    pool: { warmProcesses: 1 },
    ...(identity === undefined ? {} : { identity })
  } satisfies SandboxOptions
})

/** The longest that the work of an engine may take, in real time. */
const patience = "60 seconds"

const endingPace = Duration.millis(5)
const restingPace = Duration.millis(1)

/** Of those who are told at once of what is due. */
const mostOwners = 10_000

const seal = Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))

/** A server that a test has to itself: what there is of it outlives a crash, and the engine comes anew. */
export interface TestServer {
  readonly url: string
  /** Of the account that the server begins with. */
  readonly key: string
  readonly accountId: string
  readonly clock: SteppedClock
  readonly network: TestNetwork
  readonly use: <A, E>(effect: Effect.Effect<A, E, EngineServices>) => Effect.Effect<A, E>
  /** Returns when nothing is under way and all that is due is done. */
  readonly rest: Effect.Effect<void>
  /** Goes from one thing that is due to the next, up to a time in Unix milliseconds. */
  readonly advanceTo: (time: number) => Effect.Effect<void>
  /** Has the engine crash now, and starts it again: `rest` returns after that. */
  readonly crash: Effect.Effect<void>
  /** Has the engine crash when it comes to a point for the nth time from now on, and starts it again. */
  readonly crashAt: (point: CrashPoint.CrashPoint, nth: number) => Effect.Effect<void>
}

interface EngineOptions {
  readonly url: string
  readonly port: number
  readonly activity: Activity
  readonly network: TestNetwork
  readonly link: Link
  readonly sandbox: SandboxOptions
  /** The clock of everything but the engine itself: of its waits for the database, for code and for others. */
  readonly realClock: Clock.Clock
}

const engineLayer = (
  options: EngineOptions,
  around: Context.Context<Layer.Success<ReturnType<typeof surroundings>>>
) => {
  const onRealTime = Layer.succeed(Clock.Clock, options.realClock)
  return HttpApp.layer.pipe(
    Layer.provide(Layer.succeed(HttpSettings, settings)),
    Layer.provide(Diagnosis.layer({ dataDirectory: tmpdir() })),
    Layer.provideMerge(
      Layer.mergeAll(
        // Messages between the nodes of a cluster go by real time, also where there is only one.
        Engine.onCluster.pipe(Layer.provide(layerSingleNode.pipe(Layer.provide(onRealTime)))),
        AccountLifecycle.layer,
        AccountErasure.layer
      )
    ),
    Layer.provideMerge(
      Layer.merge(
        Tables.layer.pipe(
          Layer.provideMerge(Layer.mergeAll(Digest.layerWebCrypto, RandomBytes.layer, seal)),
          Layer.provide(onRealTime)
        ),
        Layer.succeedContext(around)
      )
    ),
    Layer.provideMerge(Layer.succeed(EngineConfig, { publicUrl: options.url })),
    Layer.provideMerge(
      NodeServer.layer({ host: "127.0.0.1", port: options.port, gracefulShutdownTimeout: "10 millis" })
    ),
    Layer.provide(Layer.succeed(References.TracerEnabled, false))
  )
}

export type EngineServices = Layer.Success<ReturnType<typeof engineLayer>>

/** One engine of a server. After a crash there is another. */
interface RunningEngine {
  readonly activity: Activity
  readonly close: Effect.Effect<void>
  readonly context: Context.Context<EngineServices>
  /** Has it do nothing more, as if its process was killed. */
  readonly kill: () => void
}

/** The parts of a server that outlive a crash of its engine. */
const makePlace = Effect.fnUntraced(function*(at: number) {
  const outside = yield* Effect.context()
  const clock = new SteppedClock(at)
  const authority = TestAuthority.make()
  const network = new TestNetwork(authority, clock.currentTimeMillisUnsafe)
  yield* network.listening
  const connect = yield* TestPostgres.database
  const port = yield* freePort
  return {
    clock,
    network,
    connect,
    port,
    url: `http://127.0.0.1:${port}`,
    sandbox: yield* sandboxOptions(authority.certificate, clock),
    runFork: Effect.runForkWith(outside),
    runPromise: Effect.runPromiseWith(outside)
  }
})

type Place = Effect.Success<ReturnType<typeof makePlace>>

/** Runs an effect with the clock of the test, and has what it does counted. */
const inTest = (clock: Clock.Clock, activity: Activity) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.provideService(Clock.Clock, clock),
    Effect.provideService(Scheduler.Scheduler, activity.scheduler),
    Effect.provideService(WebCrypto.WebCrypto, countedCrypto(activity)),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

const startEngine = Effect.fnUntraced(function*(
  { clock, connect, network, port, runFork, sandbox, url }: Place
) {
  const [scope, scopeAround] = [yield* Scope.make(), yield* Scope.make()]
  const activity = new Activity()
  const link: Link = { isCut: false }
  const engineClock = new EndableClock(realClock)
  const sockets = new Set<Socket>()
  const client = connect((socket) => {
    if (link.isCut) socket.destroy()
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    PostgresTraffic.watch(socket, () => activity.begin("questions to the database"))
  }).pipe(Layer.provide(Layer.succeed(Clock.Clock, engineClock)))
  const engine: EngineOptions = { url, port, activity, network, link, sandbox, realClock: engineClock }
  // A memo map of its own: nothing of the engine before this one is used again.
  const build = <A, E, R>(layer: Layer.Layer<A, E, R>, within: Scope.Scope) =>
    inTest(clock, activity)(Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), within))
  const around = yield* build(surroundings(engine), scopeAround)
  const context = yield* build(engineLayer(engine, around).pipe(Layer.provideMerge(client)), scope)
  // Before that it ignores the work that the engine before it left.
  yield* Context.get(context, ActorCalls).hasShards.pipe(
    Effect.repeat({ until: (has) => has, schedule: Schedule.spaced("2 millis") }),
    Effect.provideService(Clock.Clock, realClock)
  )
  return {
    activity,
    close: Effect.andThen(Scope.close(scope, Exit.void), Scope.close(scopeAround, Exit.void)),
    context,
    kill: () => {
      link.isCut = true
      for (const socket of sockets) socket.destroy()
      engineClock.end()
      clock.forgetAll()
      Context.get(context, NodeServer).cutOff()
      // These do not wait for the engine, which may wait forever for what it was cut off from.
      runFork(Scope.close(scopeAround, Exit.void))
    }
  } satisfies RunningEngine as RunningEngine
}, Effect.orDie)

/** The engines of a server, one after the other, and the work that the present one is told of. */
class Engines {
  private readonly place: Place
  /** The one that runs, or was cut off last. */
  private current: RunningEngine
  /** Set while an engine that was cut off ends and the next one starts. */
  private restarting: Promise<void> | undefined
  /** True if an engine has started and not yet looked for the work that the one before it left. */
  private isNew = false
  /** The due time of the last work that each owner was told of. */
  private told = new Map<string, number>()

  constructor(place: Place, first: RunningEngine) {
    this.place = place
    this.current = first
  }

  use<A, E>(effect: Effect.Effect<A, E, EngineServices>): Effect.Effect<A, E> {
    return Effect.suspend(() =>
      inTest(this.place.clock, this.current.activity)(Effect.provideContext(effect, this.current.context))
    )
  }

  /** Ends the engine that runs. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => this.closeEngine(this.current))
  }

  private closeEngine({ activity, close }: RunningEngine): Effect.Effect<void> {
    return inTest(this.place.clock, activity)(close)
  }

  crash(): void {
    if (this.restarting !== undefined) return
    const killed = this.current
    killed.kill()
    this.restarting = this.place.runPromise(Effect.map(startEngine(this.place), (engine) => {
      this.current = engine
      this.isNew = true
      this.restarting = undefined
      this.told = new Map()
      // Releases its resources in this process, as far as that does not wait for anything that it was cut off from.
      this.place.runFork(this.closeEngine(killed))
    }))
  }

  /** Returns when nothing is under way and all that is due is done. */
  get rest(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      while (true) {
        if (this.restarting !== undefined) yield* Effect.promise(() => this.restarting!)
        yield* Effect.promise(() => this.current.activity.rest())
        if (this.restarting !== undefined) continue
        // Work that has yet to be handed over within the process, or waits for its turn on a busy thread, is no activity.
        if (!(yield* this.use(isAtRest))) yield* realClock.sleep(restingPace)
        else if (!this.lookAround() && !(yield* this.tellOfDue)) return
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () =>
          Effect.die(
            new Error(`The engine did not come to rest within ${patience}: ${this.current.activity.description}`)
          )
      }),
      Effect.provideService(Clock.Clock, realClock)
    )
  }

  /** Has a new engine look for work, by doing all that recurs once more. Answers false if it has looked before. */
  private lookAround(): boolean {
    const looks = this.isNew
    this.isNew = false
    if (looks) this.place.clock.stepTo(this.place.clock.currentTimeMillisUnsafe())
    return looks
  }

  /** Tells owners of what is due now. Answers whether there was any that had not been told. */
  private get tellOfDue(): Effect.Effect<boolean> {
    return this.use(Effect.gen({ self: this }, function*() {
      const actors = yield* ActorCalls
      const due = yield* DueWork
      const now = this.place.clock.currentTimeMillisUnsafe()
      const { owners } = yield* Effect.orDie(due.ownersDue(now, beforeAll, mostOwners))
      const untold = owners.filter(({ dueAt, ownerId }) => dueAt > (this.told.get(ownerId) ?? -Infinity))
      this.told = new Map(owners.map(({ dueAt, ownerId }) => [ownerId, dueAt]))
      for (const { ownerId } of untold) actors.wake(ownerId, Wake.forDueWork)
      return untold.length > 0
    }))
  }

  /** The time of the next thing that is due, in Unix milliseconds. */
  get nextDue(): Effect.Effect<number> {
    const { clock } = this.place
    return this.use(Effect.gen(function*() {
      const due = yield* DueWork
      const next = yield* Effect.orDie(due.nextAfter(clock.currentTimeMillisUnsafe()))
      return Math.min(next ?? Infinity, clock.next())
    }))
  }
}

export const make = Effect.fnUntraced(function*(options: { readonly at: number }) {
  const place = yield* makePlace(options.at)
  const { clock, network, url } = place
  const engines = new Engines(place, yield* startEngine(place))
  // The clock stands still, so a timeout during the shutdown would never fire: this wakes all sleepers.
  const goOn = Effect.forever(Effect.andThen(realClock.sleep(endingPace), Effect.sync(() => clock.wakeAll())))
  yield* Effect.addFinalizer(() => Effect.raceFirst(engines.close, goOn))

  const account = yield* engines.use(Effect.gen(function*() {
    const accounts = yield* AccountLifecycle
    return yield* Effect.orDie(accounts.create({ username: "test", email: "test@example.com", plan: "free" }))
  }))
  yield* engines.rest

  return {
    url,
    key: Redacted.value(account.key),
    accountId: account.account.id,
    clock,
    network,
    use: (effect) => engines.use(effect),
    rest: engines.rest,
    advanceTo: Effect.fnUntraced(function*(time) {
      yield* engines.rest
      while (clock.currentTimeMillisUnsafe() < time) {
        clock.stepTo(Math.min(yield* engines.nextDue, time))
        yield* engines.rest
      }
    }),
    crash: Effect.sync(() => engines.crash()),
    crashAt: (point, nth) =>
      Effect.sync(() => {
        let left = nth
        const stopListening = CrashPoint.listen((reached) => {
          if (reached !== point || --left > 0) return
          stopListening()
          engines.crash()
        })
      })
  } satisfies TestServer as TestServer
})
