import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer, Schedule } from "effect"
import * as ServerOnTestDatabase from "../../../test/ServerOnTestDatabase.ts"
import * as ServerProcess from "../../../test/ServerProcess.ts"
import * as CommandInProcess from "./CommandInProcess.ts"
import type * as HeadwaterCommand from "./HeadwaterCommand.ts"

/** A real server, and the command line as a user of it has it. */
export class RunningServer extends Context.Service<RunningServer, {
  readonly server: ServerProcess.ServerProcess
  /** By environment, who the user is to the server. */
  readonly environment: Readonly<Record<string, string>>
  /** An environment in which nobody has logged in. */
  readonly nobody: Readonly<Record<string, string>>
  /** Runs `headwater` in a folder as the user. */
  readonly headwater: (folder: string, ...args: ReadonlyArray<string>) => Effect.Effect<HeadwaterCommand.Ended>
  /** The newest events of a source or workflow, newest first, once there are so many. */
  readonly events: (id: string, count: number) => Effect.Effect<ReadonlyArray<Json.Json>>
}>()("@headwater/cli/test/RunningServer") {
  static readonly layer = Layer.effect(
    RunningServer,
    Effect.gen(function*() {
      const server = yield* ServerOnTestDatabase.make
      yield* server.start
      const nobody = { XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config") }
      const environment = { ...nobody, HEADWATER_URL: server.url, HEADWATER_API_KEY: ServerProcess.key }
      return RunningServer.of({
        server,
        environment,
        nobody,
        headwater: (folder, ...args) => CommandInProcess.run(args, { env: environment, cwd: folder }),
        events: (id, count) =>
          server.api("GET", `/${id.startsWith("p_") ? "workflows" : "sources"}/${id}/event_summaries`).pipe(
            Effect.map(({ data }) => Json.listOf(data)),
            Effect.repeat({ until: (found) => found.length >= count, schedule: Schedule.spaced("50 millis") }),
            Effect.timeout("60 seconds"),
            Effect.orDie
          )
      })
    })
  )
}
