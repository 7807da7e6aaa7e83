import * as RunningSettings from "@headwater/server/RunningSettings"
import { render, ServerConfig, unknownVariables } from "@headwater/server/ServerConfig"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"

/** Shows the configuration in force, secrets masked. */
export const configCommand = Command.make(
  "config",
  {},
  () =>
    Effect.gen(function*() {
      const settings = yield* ServerConfig
      const running = yield* RunningSettings.read(settings.dataDirectory)
      yield* Option.match(running, {
        onNone: () =>
          Console.log(
            `# No server runs on ${settings.dataDirectory}. One that is started here has these settings.\n${
              render(settings)
            }`
          ),
        onSome: ({ pid, settings }) => Console.log(`# The settings of the running server, process ${pid}.\n${settings}`)
      })
      for (const name of unknownVariables(Object.keys(process.env))) {
        yield* Console.error(`headwater: ${name} is not a setting of Headwater and has no effect`)
      }
    }).pipe(Effect.provide(ServerConfig.layer))
).pipe(
  Command.withDescription(
    "Show the settings of the running server, or those of a server started here; mask secrets"
  )
)
