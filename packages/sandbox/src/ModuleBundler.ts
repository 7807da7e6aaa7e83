import { AccountSlots } from "@headwater/domain/AccountSlots"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import { Clock, Context, Deferred, Duration, Effect, Exit, Layer, Option, Pool, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import {
  BundlerAnswer,
  type BundlerTask,
  type BundleTask,
  type ModuleFile,
  type ModuleImport,
  ModulePosition
} from "./BundlerProtocol.ts"
import type { DefinitionPath } from "./ComponentDescription.ts"
import * as LargeImports from "./LargeImports.ts"
import { readFamilyCpuMillis } from "./ProcessUsage.ts"
import { moduleName } from "./SourcePlaces.ts"

/** A module can't be had or can't be read, and where that shows: in itself, or in the import that asks for it. */
export class ModuleFaulty extends Schema.TaggedError<ModuleFaulty>()("ModuleFaulty", {
  message: Schema.String,
  at: ModulePosition
}) {}

/** The parser came to no end with a module's text, or broke on it: whether it is one is not known. */
export class ModuleUnread extends Schema.TaggedError<ModuleUnread>()("ModuleUnread", {
  message: Schema.String,
  at: ModulePosition
}) {}

/** A module whose text was read. */
export interface ReadModule {
  readonly file: ModuleFile
  /** Each specifier once, in their order. */
  readonly imports: ReadonlyArray<ModuleImport>
  /** True if it is a CommonJS module. */
  readonly isCommon: boolean
}

export interface Bundle {
  readonly code: string
  /** A source map as JSON. */
  readonly map: string
  /** Packages that a package imports without saying that it needs them. */
  readonly undeclared: ReadonlyArray<string>
}

/**
 * To read one text takes milliseconds of a processor; to bundle packages of thousands of files takes seconds. On a busy
 * machine that is many times as long on the wall, which says nothing about the text. Counted from when the process is
 * ready.
 */
const limitsOf = {
  Scan: { cpuMillis: 4_000, wallMillis: 60_000 },
  Bundle: { cpuMillis: 60_000, wallMillis: 120_000 },
  Place: { cpuMillis: 4_000, wallMillis: 60_000 }
}

/** The interval between looks at the time that a task has taken, in milliseconds. */
const lookMillis = 100

/** The numbers of texts that are read, and of bundles that are made, at a time: a text waits for no bundle. */
const readAtOnce = 2
const bundledAtOnce = 2

const idleMillis = 30_000

/** A process that is not ready after so long never will be. */
const startMillis = 60_000

/** Larger code is mostly that of packages, and its tree takes many times as much memory. */
const maxPlaceCharacters = 4 * 1024 * 1024

/**
 * The most memory of the bundler, in KiB: a hostile text would have it take all there is. The parser, which is a
 * process of its own with as much, frees memory more often from half of it on.
 */
const memoryKibibytes = 1536 * 1024
const parserKibibytes = memoryKibibytes / 2

/**
 * Reads modules' imports and makes one module of many, without running any of them. It works in processes of its own,
 * each with one task at a time, so that a text that is too much for the parser costs that process and nothing else. An
 * account has one text read and one module bundled at a time.
 */
export class ModuleBundler extends Context.Service<ModuleBundler, {
  /** Reads a module's text; if that is given as JavaScript, it may be TypeScript. */
  read(file: ModuleFile): Effect.Effect<ReadModule, ModuleFaulty | ModuleUnread>
  bundle(task: BundleTask): Effect.Effect<Bundle, ModuleFaulty | ModuleUnread>
  /**
   * The position in the code of something of the definition that JavaScript exports as its default; none if it is not
   * found.
   */
  place(code: string, path: DefinitionPath): Effect.Effect<Option.Option<Pick<ModulePosition, "line" | "column">>>
}>()("@headwater/sandbox/ModuleBundler") {
  static readonly layer: Layer.Layer<ModuleBundler> = Layer.effect(ModuleBundler, Effect.suspend(() => make()))
}

/** The package that a path begins with. */
const packageOf = (path: string): string => path.split("/", path.startsWith("@") ? 2 : 1).join("/")

/** The URL of this file, also where its code is part of a bundle. */
const here = import.meta.resolve("@headwater/sandbox/ModuleBundler")

const startProcess = (): ChildProcess => {
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      `ulimit -c 0; ulimit -d ${memoryKibibytes}; exec "$0" "$@"`,
      process.execPath,
      fileURLToPath(new URL(`./bundler/Main${extname(here)}`, here))
    ],
    // In a session of its own, so that a Ctrl-C does not look like a crash.
    { env: { GOMEMLIMIT: `${parserKibibytes}KiB` }, stdio: ["ignore", "ignore", "ignore", "ipc"], detached: true }
  )
  child.on("error", () => {})
  return child
}

/** Ends the process and the parser that it started. */
const end = (child: ChildProcess): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}

/** The process ended before it answered. */
class Lost extends Schema.TaggedError<Lost>()("Lost", {}) {}

interface Running {
  readonly child: ChildProcess
  /** Done when it has said that it takes tasks. */
  readonly ready: Deferred.Deferred<void, Lost>
}

/** Begun and not waited for, because a pool begins one after the other. */
const bundlerProcess = Effect.acquireRelease(
  Effect.sync((): Running => {
    const running: Running = { child: startProcess(), ready: Deferred.makeUnsafe() }
    running.child.once("message", () => Deferred.doneUnsafe(running.ready, Exit.void))
    for (const ending of ["exit", "error"]) {
      running.child.once(ending, () => Deferred.doneUnsafe(running.ready, Exit.fail(new Lost())))
    }
    return running
  }),
  ({ child }) => Effect.sync(() => end(child))
)

const ask = (child: ChildProcess, task: BundlerTask) =>
  Effect.callback<unknown, Lost>((resume) => {
    const lost = () => resume(Effect.fail(new Lost()))
    child.once("message", (message) => {
      child.off("exit", lost)
      child.off("error", lost)
      resume(Effect.succeed(message))
    })
    child.once("exit", lost)
    child.once("error", lost)
    child.send(task, (error) => {
      if (error !== null) lost()
    })
  })

/** Returns when a process has worked on a task for longer than it may, with what the limit is. */
const overrun = Effect.fnUntraced(function*(child: ChildProcess, { cpuMillis, wallMillis }: typeof limitsOf.Scan) {
  const used = () => child.pid === undefined ? 0 : readFamilyCpuMillis(child.pid) ?? 0
  const before = used()
  const startedAt = yield* Clock.currentTimeMillis
  while (true) {
    yield* Effect.sleep(lookMillis)
    if (used() - before > cpuMillis) return `${cpuMillis} ms of processor time`
    if ((yield* Clock.currentTimeMillis) - startedAt > wallMillis) return `${wallMillis} ms`
  }
}, RealTime.on)

const make = Effect.fnUntraced(function*() {
  const reading = new AccountSlots(readAtOnce, 1)
  const slots = { Scan: reading, Bundle: new AccountSlots(bundledAtOnce, 1), Place: reading }
  const processes = yield* Pool.makeWithTTL({
    acquire: bundlerProcess,
    min: 0,
    max: readAtOnce + bundledAtOnce,
    timeToLive: Duration.millis(idleMillis),
    timeToLiveStrategy: "usage"
  })

  const give = Effect.gen(function*() {
    const running = yield* Pool.get(processes)
    if (!running.child.connected) yield* Pool.invalidate(processes, running)
    return running
  }).pipe(Effect.repeat({ until: ({ child }) => child.connected }))

  const perform = Effect.fnUntraced(function*(file: string, task: BundlerTask) {
    const imported = task._tag === "Bundle" ? Object.values(task.packages?.names ?? {}).map(packageOf) : []
    const unreadable = (why: string, ofImports: string) =>
      new ModuleUnread({
        message: imported.length === 0 ? `The module can't be read: ${why}` : LargeImports.tooMuch(ofImports, imported),
        at: { file, line: 1, column: 1 }
      })
    const answer = Effect.scoped(Effect.gen(function*() {
      const running = yield* give
      const { child, ready } = running
      const tooLong = Effect.flatMap(
        overrun(child, limitsOf[task._tag]),
        (limit) => Effect.fail(unreadable(`parsing it takes over ${limit}`, `that takes over ${limit}`))
      )
      return yield* Deferred.await(ready).pipe(
        Effect.timeoutOrElse({ duration: startMillis, orElse: () => Effect.fail(new Lost()) }),
        RealTime.on,
        Effect.andThen(Effect.raceFirst(ask(child, task), tooLong)),
        // Nobody waits for the task that it works on then.
        Effect.onError(() => {
          end(child)
          return Pool.invalidate(processes, running)
        })
      )
    }))
    const answered = answer.pipe(
      // The process may have ended because of the task before.
      Effect.catchTag("Lost", () => answer),
      Effect.flatMap(Schema.decodeUnknownEffect(BundlerAnswer)),
      Effect.catchTags({
        Lost: () =>
          Effect.fail(unreadable(
            "it is too large for the parser, or nested too deeply",
            `that takes over ${memoryKibibytes / 1024} MiB of memory, or is nested too deeply`
          )),
        SchemaError: Effect.die
      })
    )
    return yield* slots[task._tag].hold(yield* OnBehalfOf, answered)
  })

  const scan = Effect.fnUntraced(function*(file: ModuleFile) {
    const answer = yield* perform(file.file, { _tag: "Scan", file })
    if (answer._tag !== "Scanned") return yield* faultOf(answer)
    return { file, imports: answer.imports, isCommon: answer.isCommon } satisfies ReadModule as ReadModule
  })

  return ModuleBundler.of({
    read: (file) =>
      Effect.catchTag(scan(file), "ModuleFaulty", (fault) =>
        // As which of the two it is faulty, is told by what it was given as.
        file.type === "js" ? Effect.mapError(scan({ ...file, type: "ts" }), () => fault) : Effect.fail(fault)),
    bundle: Effect.fnUntraced(function*(task) {
      const answer = yield* perform(task.entry, { _tag: "Bundle", ...task })
      if (answer._tag === "Bundled") return answer
      return yield* faultOf(answer)
    }),
    place: (code, path) =>
      code.length > maxPlaceCharacters
        ? Effect.succeedNone
        : perform(moduleName, { _tag: "Place", code, path }).pipe(
          Effect.map((answer) => answer._tag === "Placed" ? Option.fromUndefinedOr(answer.at) : Option.none()),
          Effect.catchTag("ModuleUnread", () => Effect.succeedNone)
        )
  })
})

const faultOf = (answer: BundlerAnswer): Effect.Effect<never, ModuleFaulty> =>
  answer._tag === "Faulty"
    ? Effect.fail(new ModuleFaulty({ message: answer.message, at: answer.at }))
    : Effect.die(new Error(`The bundler answered ${answer._tag}, which was not asked`))
