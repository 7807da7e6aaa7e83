import * as NodeServices from "@effect/platform-node/NodeServices"
import { explain } from "@headwater/server/ErrorExplanation"
import { Cause, ConfigProvider, Console, Effect, Exit, Stdio, Terminal } from "effect"
import { type CliError, Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import type { Ended } from "./HeadwaterCommand.ts"
import * as TypedTerminal from "./TypedTerminal.ts"

/** Under which a command is run. */
export interface Circumstances {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** What somebody types, who then sits at a terminal. */
  readonly typed?: string
  /** In place of the network. */
  readonly fetch?: typeof fetch
}

/**
 * Runs one command of the program in this process, which takes a tenth of the time that a process of its own does. What it
 * asks at a terminal is part of its output.
 */
export const run = Effect.fnUntraced(function*<const Name extends string, Input, ContextInput, E>(
  command: Command.Command<Name, Input, ContextInput, E | CliError.CliError, Command.Environment>,
  args: ReadonlyArray<string>,
  { env, fetch: network = fetch, typed }: Circumstances
): Effect.fn.Return<Ended> {
  let stdout = ""
  const { seen, terminal } = yield* TypedTerminal.make(typed ?? "")
  const exit = yield* Command.runWith(command, { version: "0.0.0" })(args).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.updateService(Stdio.Stdio, (stdio) =>
      Stdio.make({
        ...stdio,
        stdinIsTerminal: Effect.succeed(typed !== undefined),
        stdoutIsTerminal: Effect.succeed(typed !== undefined)
      })),
    Effect.provide(NodeServices.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provideService(FetchHttpClient.Fetch, network),
    Effect.provideService(Console.Console, {
      ...console,
      log: (...texts: ReadonlyArray<unknown>) => void (stdout += `${texts.join(" ")}\n`)
    }),
    Effect.exit
  )
  if (Exit.isSuccess(exit)) return { code: 0, stdout: stdout + seen(), stderr: "" }
  return { code: 1, stdout: stdout + seen(), stderr: `headwater: ${explain(Cause.squash(exit.cause)).trim()}\n` }
})
