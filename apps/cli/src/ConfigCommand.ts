import { render, ServerConfig } from "@headwater/server/ServerConfig"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"

/** Shows the configuration in force, secrets masked. */
export const configCommand = Command.make(
  "config",
  {},
  () =>
    Effect.flatMap(ServerConfig, (settings) => Console.log(render(settings))).pipe(Effect.provide(ServerConfig.layer))
).pipe(Command.withDescription("Show the configuration in force, with secrets masked"))
