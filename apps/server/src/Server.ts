import * as RandomBytes from "@headwater/domain/RandomBytes"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import * as Engine from "@headwater/engine/Engine"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Draining } from "@headwater/engine/placement/Draining"
import * as Tables from "@headwater/log/Tables"
import { accessibleExecutable, sandboxIdentity } from "@headwater/postgres/Unprivileged"
import { Packages } from "@headwater/sandbox/Packages"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { packagedDenoPath, SandboxConfig } from "@headwater/sandbox/SandboxConfig"
import { Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Database from "./Database.ts"
import { FirstPartyPublishing } from "./FirstPartyPublishing.ts"
import { FirstStart, greeting } from "./FirstStart.ts"
import * as HeapGrowth from "./HeapGrowth.ts"
import { ComponentSaving } from "./http/ComponentSaving.ts"
import * as HttpApp from "./http/HttpApp.ts"
import { HttpSettings } from "./http/HttpSettings.ts"
import { NodeServer } from "./http/NodeServer.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Logging from "./Logging.ts"
import * as RunningSettings from "./RunningSettings.ts"
import * as SecretKey from "./SecretKey.ts"
import { ServerConfig, unknownVariables } from "./ServerConfig.ts"
import * as Telemetry from "./Telemetry.ts"
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

/** A directory outside the data directory, which may lie where sandboxes can't go. */
const sandboxDirectory = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-sandbox-"))
    await Fs.chmod(directory, 0o711)
    return directory
  }),
  (directory) => Effect.promise(() => Fs.rm(directory, { recursive: true, force: true }))
)

const sandboxConfig = Layer.unwrap(Effect.gen(function*() {
  const { extraCa, runLimits } = yield* ServerConfig
  const identity = sandboxIdentity()
  return SandboxConfig.layer({
    denoPath: yield* accessibleExecutable(packagedDenoPath()),
    cacheDir: yield* sandboxDirectory,
    limits: runLimits,
    ...(identity === undefined ? {} : { identity }),
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

const serverEngine = Layer.unwrap(
  Effect.map(ServerConfig, ({ node, retentionDays }) => Engine.layerServer({ retentionDays, node }))
)

const engine = Layer.mergeAll(serverEngine, AccountLifecycle.layer).pipe(
  Layer.provideMerge(sandbox),
  Layer.provideMerge(packages),
  Layer.provideMerge(egressHttp),
  Layer.provideMerge(guard),
  Layer.provideMerge(Tables.layer),
  Layer.provideMerge(Layer.effect(EngineConfig, Effect.map(ServerConfig, ({ url }) => ({ publicUrl: url }))))
)

const httpSettings = Layer.effect(
  HttpSettings,
  Effect.map(ServerConfig, ({ byteRateLimit, maxBody, maxCode, maxProp, rateLimit, trustedProxies }) => ({
    byteRateLimit,
    maxBody,
    maxCode,
    maxProp,
    rateLimit,
    trustedProxies
  }))
)

const publishing = FirstPartyPublishing.layer.pipe(Layer.provide(ComponentSaving.layer), Layer.provide(httpSettings))

const http = HttpApp.layer.pipe(
  Layer.provide(httpSettings),
  Layer.provide(
    Layer.unwrap(
      Effect.map(
        ServerConfig,
        ({ host, port }) => NodeServer.layer({ host, port, gracefulShutdownTimeout: "10 seconds" })
      )
    )
  )
)

/** How long runs that are under way when the server is told to stop may go on. What is cut off is run again later. */
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

const warnOfUnknown = Layer.effectDiscard(Effect.suspend(() =>
  Effect.forEach(
    unknownVariables(Object.keys(process.env)),
    (name) => Effect.logWarning(`${name} is not a setting of Headwater and has no effect`)
  )
))

/** The whole program: HTTP, engine, sandboxes and database, as configured by the environment. */
export const layer = Layer.mergeAll(greeting, drainFirst, HeapGrowth.layer, WriterDeath.layer()).pipe(
  Layer.provideMerge(http),
  Layer.provideMerge(publishing),
  Layer.provideMerge(FirstStart.layer),
  Layer.provideMerge(engine),
  Layer.provideMerge(RunningSettings.layer),
  Layer.provide(SecretKey.seal),
  Layer.provide(Database.layer),
  Layer.provide(Database.dataDirectory),
  Layer.provide([ListenAddress.layer, warnOfUnknown]),
  Layer.provide([Digest.layerWebCrypto, RandomBytes.layer]),
  Layer.provide(Logging.wideLayer),
  Layer.provide(Telemetry.layer),
  Layer.provide(Logging.layer),
  Layer.provide(ServerConfig.layer)
)
