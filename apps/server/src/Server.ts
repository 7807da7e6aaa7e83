import * as RandomBytes from "@headwater/domain/RandomBytes"
import { Sharers } from "@headwater/domain/Sharers"
import { VirtualClock } from "@headwater/domain/VirtualClock"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Draining } from "@headwater/engine/Draining"
import * as Engine from "@headwater/engine/Engine"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { EngineLimits } from "@headwater/engine/EngineLimits"
import * as FileBucketS3 from "@headwater/engine/FileBucketS3"
import * as MailServer from "@headwater/engine/MailServer"
import * as Tables from "@headwater/log/Tables"
import { accessibleExecutable, sandboxIdentity } from "@headwater/postgres/Unprivileged"
import { Packages } from "@headwater/sandbox/Packages"
import { PythonPackages } from "@headwater/sandbox/PythonPackages"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { defaultPoolSize, packagedDenoPath, SandboxConfig } from "@headwater/sandbox/SandboxConfig"
import { Clock, Effect, Layer, Option, References } from "effect"
import { Digest } from "effect/crypto"
import * as Fs from "node:fs/promises"
import { readFile } from "node:fs/promises"
import * as Path from "node:path"
import { ComponentSaving } from "./ComponentSaving.ts"
import * as Database from "./Database.ts"
import * as DevClockDatabase from "./DevClockDatabase.ts"
import { Diagnosis } from "./Diagnosis.ts"
import { FirstPartyPublishing } from "./FirstPartyPublishing.ts"
import { FirstStart, greeting } from "./FirstStart.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import { BodyRoom } from "./http/conventions/BodyRoom.ts"
import { HttpSettings } from "./http/conventions/HttpSettings.ts"
import { NodeServer } from "./http/conventions/NodeServer.ts"
import { RateLimiting } from "./http/conventions/RateLimiting.ts"
import * as HttpApp from "./http/HttpApp.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Logging from "./Logging.ts"
import { MailListener } from "./mail/MailListener.ts"
import * as ProgramEnd from "./ProgramEnd.ts"
import * as RunningSettings from "./RunningSettings.ts"
import * as SandboxDirectory from "./SandboxDirectory.ts"
import * as SecretKey from "./SecretKey.ts"
import { ServerConfig } from "./ServerConfig.ts"
import * as Telemetry from "./Telemetry.ts"
import * as UnknownSettings from "./UnknownSettings.ts"
import { Machine, type MachineLink } from "./workers/Machine.ts"
import type { WorkerPlace } from "./workers/WorkerPlace.ts"
import * as WriterDeath from "./WriterDeath.ts"

const guard = Layer.unwrap(
  Effect.map(ServerConfig, ({ egressAllowList, nameServers }) => EgressGuard.layer(egressAllowList, { nameServers }))
)

const egressHttp = Layer.unwrap(Effect.gen(function*() {
  const { extraCa } = yield* ServerConfig
  return Option.isNone(extraCa)
    ? EgressHttp.layer()
    : EgressHttp.layer({ extraCa: yield* Effect.promise(() => Fs.readFile(extraCa.value, "utf8")) })
}))

/** A process's part of the machine's sandboxes. */
const poolSize = (sharers: number, work: boolean) => ({
  warmProcesses: work ? Math.ceil(defaultPoolSize.warmProcesses / sharers) : 0,
  maxProcesses: Math.ceil(defaultPoolSize.maxProcesses / sharers),
  memoryMebibytes: Math.floor(defaultPoolSize.memoryMebibytes / sharers),
  maxProcessesPerAccount: Math.ceil(defaultPoolSize.maxProcessesPerAccount / sharers),
  maxWaiting: Math.ceil(defaultPoolSize.maxWaiting / sharers)
})

const sandboxConfig = Layer.unwrap(Effect.gen(function*() {
  const { dataDirectory, extraCa, runLimits, work } = yield* ServerConfig
  const identity = sandboxIdentity()
  const clock = yield* Clock.Clock
  return SandboxConfig.layer({
    denoPath: yield* accessibleExecutable(packagedDenoPath()),
    cacheDir: yield* SandboxDirectory.make(),
    keptDir: Path.join(dataDirectory, "python"),
    limits: runLimits,
    pool: poolSize(yield* Sharers, work),
    ...(identity === undefined ? {} : { identity }),
    ...(clock instanceof VirtualClock ? { componentTime: () => clock.state } : {}),
    ...(Option.isSome(extraCa) ? { extraCaFile: extraCa.value } : {})
  })
}))

const sandbox = Sandbox.layer.pipe(
  Layer.provide(sandboxConfig),
  Layer.provide(EgressBroker.layer())
)

const packages = Layer.unwrap(Effect.map(ServerConfig, ({ dataDirectory, extraCa, npmRegistry }) =>
  Packages.layer({
    directory: Path.join(dataDirectory, "packages"),
    ...(Option.isSome(extraCa) ? { extraCaFile: extraCa.value } : {}),
    ...(Option.isSome(npmRegistry) ? { registry: npmRegistry.value } : {})
  })))

const mailServer = Layer.unwrap(
  Effect.map(ServerConfig, ({ smtp }) => Option.match(smtp, { onNone: () => Layer.empty, onSome: MailServer.layer }))
)

const fileBucket = Layer.unwrap(
  Effect.map(
    ServerConfig,
    ({ fileBucket }) => Option.match(fileBucket, { onNone: () => Layer.empty, onSome: FileBucketS3.layer })
  )
)

const pythonPackages = Layer.unwrap(Effect.map(ServerConfig, ({ extraCa, pythonIndex }) =>
  PythonPackages.layer({
    ...(Option.isSome(extraCa) ? { extraCaFile: extraCa.value } : {}),
    ...(Option.isSome(pythonIndex) ? { index: pythonIndex.value } : {})
  })))

const beneathEngine = sandbox.pipe(
  Layer.provideMerge(mailServer),
  Layer.provideMerge(packages),
  Layer.provideMerge(pythonPackages),
  Layer.provideMerge(egressHttp),
  Layer.provideMerge(guard),
  Layer.provideMerge(Tables.layer),
  Layer.provideMerge(fileBucket),
  Layer.provideMerge(Layer.effect(
    EngineConfig,
    Effect.map(ServerConfig, ({ mail, url }) => ({
      publicUrl: url,
      mailDomain: Option.getOrUndefined(mail)?.domain
    }))
  )),
  Layer.provideMerge(Layer.effect(
    EngineLimits,
    Effect.map(ServerConfig, ({ dataStores }) => ({ ...EngineLimits.defaultValue(), dataStoresOfAccount: dataStores }))
  ))
)

const httpSettings = Layer.effect(
  HttpSettings,
  Effect.map(
    ServerConfig,
    ({ allowedHosts, byteRateLimit, host, maxBody, maxCode, maxProp, rateLimit, runLimits, trustedProxies, work }) => ({
      byteRateLimit,
      maxBody,
      maxCode,
      maxProp,
      maxStoredValue: runLimits.storeValueBytes,
      maxHeapMebibytes: runLimits.maxHeapMebibytes,
      rateLimit,
      trustedProxies,
      work,
      ownHosts: [host, ...allowedHosts]
    })
  )
)

const diagnosis = Layer.unwrap(
  Effect.map(
    ServerConfig,
    ({ dataDirectory, npmRegistry }) =>
      Diagnosis.layer({ dataDirectory, ...(Option.isSome(npmRegistry) ? { registry: npmRegistry.value } : {}) })
  )
)

const publishing = Layer.unwrap(Effect.map(ServerConfig, ({ work }) =>
  work
    ? FirstPartyPublishing.layer.pipe(Layer.provide(ComponentSaving.layer), Layer.provide(httpSettings))
    : FirstPartyPublishing.layerNone))

/** @param options.reusePort shares the port with the machine's other workers */
const http = (options: { readonly reusePort: boolean }) =>
  HttpApp.layer.pipe(
    Layer.provide([httpSettings, diagnosis]),
    Layer.provide(
      Layer.unwrap(
        Effect.map(
          ServerConfig,
          ({ host, keepAliveSeconds, port }) =>
            NodeServer.layer(
              { host, port, ...options, gracefulShutdownTimeout: "10 seconds" },
              { keepAliveMs: keepAliveSeconds * 1_000 }
            )
        )
      )
    )
  )

/** Takes e-mail, if the operator has switched that on. */
const mailListener = (options: { readonly reusePort: boolean }) =>
  Layer.unwrap(Effect.gen(function*() {
    const { mail, work } = yield* ServerConfig
    if (Option.isNone(mail) || !work) return Layer.empty
    const { tls, ...settings } = mail.value
    const read = (path: string) => Effect.tryPromise(() => readFile(path, "utf8"))
    const pem = Option.isNone(tls)
      ? undefined
      : { cert: yield* read(tls.value.certPath), key: yield* read(tls.value.keyPath) }
    return MailListener.layer({ ...settings, ...options, tls: pem })
  })).pipe(Layer.provide([BodyRoom.layer, RateLimiting.layer]), Layer.provide(httpSettings))

/** The time that runs may still take when the server is told to stop. A run that is cut off is run again later. */
const grace = "10 seconds"

/** Released before anything else: nothing new is taken on while what is under way ends. */
const drainFirst = Layer.effectDiscard(
  Effect.gen(function*() {
    const draining = yield* Draining
    const sandbox = yield* Sandbox
    yield* Effect.addFinalizer(() =>
      Effect.andThen(draining.begin, Effect.forkDetach(Effect.delay(sandbox.stop, grace)))
    )
  })
)

/** The time that the greeting waits for the server's own components to be in the registry. */
const publishingPatience = "60 seconds"

const published = Effect.flatMap(FirstPartyPublishing, ({ done }) => Effect.timeoutOption(done, publishingPatience))

const whileServing = Layer.mergeAll(drainFirst, HeapGrowth.layer, WriterDeath.layer())

type WorkingEngine = ReturnType<typeof Engine.layerServer>

const ownEngine = Layer.unwrap(
  Effect.map(
    ServerConfig,
    (
      { auditDays, devClock, node, retentionDays, work }
    ): Layer.Layer<
      Layer.Success<typeof Engine.layerWithoutWork>,
      Layer.Error<WorkingEngine>,
      Layer.Services<WorkingEngine>
    > => work ? Engine.layerServer({ auditDays, retentionDays, node, hasDevClock: devClock }) : Engine.layerWithoutWork
  )
)

/** The whole program in one process: HTTP, engine, sandboxes and database, as configured by the environment. */
export const layer = Layer.mergeAll(Layer.effectDiscard(Effect.andThen(published, greeting)), whileServing).pipe(
  Layer.provideMerge(http({ reusePort: false })),
  Layer.provideMerge(mailListener({ reusePort: false })),
  Layer.provideMerge(publishing),
  Layer.provideMerge(FirstStart.layer),
  Layer.provideMerge(Layer.merge(ownEngine, AccountLifecycle.layer)),
  Layer.provideMerge(beneathEngine),
  Layer.provideMerge(RunningSettings.layer),
  Layer.provide(SecretKey.seal),
  Layer.provide(DevClockDatabase.layer),
  Layer.provide(ProgramEnd.layerWhenTooOld),
  Layer.provide(Database.layer),
  Layer.provide(Database.dataDirectory),
  Layer.provide([ListenAddress.layer, UnknownSettings.layer]),
  Layer.provide([Digest.layerWebCrypto, RandomBytes.layer]),
  Layer.provide(Logging.wideLayer),
  Layer.provide(Telemetry.layer),
  Layer.provide(Logging.layer),
  Layer.provide(ServerConfig.layer)
)

/**
 * The program of one of several workers. Its supervisor has the database, the data directory and the first start.
 *
 * @param machine the worker's way to its supervisor
 */
export const layerWorker = ({ node, number, of }: WorkerPlace, machine: MachineLink) => {
  const isFirst = number === 1
  const engine = Layer.unwrap(Effect.gen(function*() {
    const { auditDays, retentionDays } = yield* ServerConfig
    const firstWithAbandoned = isFirst ? Option.some(yield* machine.abandoned) : Option.none()
    return Engine.layerWorker({ auditDays, retentionDays, node, worker: number, firstWithAbandoned })
  }))
  const serves = isFirst
    ? Layer.effectDiscard(
      Effect.flatMap(
        Effect.context<FirstPartyPublishing>(),
        (context) => machine.serve(Effect.asVoid(Effect.provide(published, context)))
      )
    ).pipe(Layer.provide(publishing))
    : Layer.effectDiscard(machine.serve(Effect.void))
  return Layer.mergeAll(serves, whileServing).pipe(
    Layer.provideMerge(http({ reusePort: true })),
    Layer.provideMerge(mailListener({ reusePort: true })),
    Layer.provideMerge(engine),
    Layer.provideMerge(beneathEngine),
    Layer.provide(SecretKey.seal),
    Layer.provide(Database.ofWorker),
    Layer.provide(Database.dataDirectory),
    Layer.provide([Digest.layerWebCrypto, RandomBytes.layer]),
    Layer.provide(Logging.wideLayer),
    Layer.provide(Telemetry.layerWorker(number)),
    Layer.provide(Logging.layer),
    Layer.provide(ServerConfig.layer),
    Layer.provide([
      Layer.succeed(Machine, machine),
      Layer.succeed(Sharers, of),
      Layer.succeed(References.CurrentLogAnnotations, { worker: number })
    ])
  )
}
