import * as NodeServices from "@effect/platform-node/NodeServices"
import * as TestTables from "@headwater/fixtures/TestTables"
import { ConfigProvider, Console, Effect, Layer, Semaphore, Stdio, Stream, Terminal } from "effect"
import { format } from "node:util"
import * as ExitCode from "../src/ExitCode.ts"
import * as Headwater from "../src/Headwater.ts"
import type { Ended, Surroundings } from "./HeadwaterCommand.ts"
import * as TypedTerminal from "./TypedTerminal.ts"

/** Under which a command is run. */
export interface Circumstances extends Surroundings {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** What somebody types, who then sits at a terminal. */
  readonly typed?: string
  /** Gets what types more while the command runs. */
  readonly typing?: (type: (keys: string) => void) => void
}

/** The folder that a process is in is one for all that it does. */
const moving = Semaphore.makeUnsafe(1)

const inFolder = (folder: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.cwd()
      process.chdir(folder)
      return before
    }),
    () => effect,
    (before) => Effect.sync(() => process.chdir(before))
  ).pipe(moving.withPermits(1))

/**
 * Runs `headwater` in this process, which takes a tenth of the time that a process of its own does. What it asks at a
 * terminal is part of its output.
 */
export const run = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  { cwd, env, input = "", typed, typing }: Circumstances
): Effect.fn.Return<Ended> {
  const printed = { stdout: "", stderr: "" }
  const { seen, terminal, type } = yield* TypedTerminal.make(typed ?? "")
  typing?.(type)
  const command = Headwater.run(args).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.updateService(Stdio.Stdio, (stdio) =>
      Stdio.make({
        ...stdio,
        stdin: Stream.encodeText(Stream.make(input)),
        stdinIsTerminal: Effect.succeed(typed !== undefined),
        stdoutIsTerminal: Effect.succeed(typed !== undefined)
      })),
    Effect.provide(NodeServices.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    // What a command before it has built is of other circumstances.
    Effect.provideService(Layer.CurrentMemoMap, Layer.makeMemoMapUnsafe()),
    Effect.provideService(Console.Console, {
      ...console,
      log: (...texts: ReadonlyArray<unknown>) => void (printed.stdout += `${format(...texts)}\n`),
      error: (...texts: ReadonlyArray<unknown>) => void (printed.stderr += `${format(...texts)}\n`)
    })
  )
  const exit = yield* Effect.exit(cwd === undefined ? command : inFolder(cwd)(command))
  return { code: ExitCode.of(exit), stdout: printed.stdout + seen(), stderr: printed.stderr }
})

/** Runs `headwater` on the test's own database, with these variables in place of those that fit it. */
export const onTestDatabaseWith = (environment: Readonly<Record<string, string>>) =>
  Effect.map(
    TestTables.environment,
    (fitting) => (...args: ReadonlyArray<string>) => run(args, { env: { ...fitting, ...environment } })
  )

/** Runs `headwater` on the test's own database. */
export const onTestDatabase = onTestDatabaseWith({})
