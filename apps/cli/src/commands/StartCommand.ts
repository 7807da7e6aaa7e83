import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

const start = fileURLToPath(import.meta.resolve("@headwater/server/bin/start"))

/** This process becomes the server, so that signals and its end are the server's. */
const becomeServer = (options: ReadonlyArray<string>) =>
  Effect.sync(() =>
    process.execve!("/bin/sh", ["sh", start, ...options], {
      ...process.env,
      PATH: [Path.dirname(process.execPath), process.env["PATH"]].filter((folder) => folder !== undefined).join(":")
    })
  )

/** Runs a server until it is told to stop. */
export const startCommand = Command.make(
  "start",
  {
    devClock: Flag.Boolean("dev-clock").pipe(
      Flag.withDescription("With a clock that can be stopped and moved, on a database of its own"),
      Flag.withDefault(false)
    )
  },
  ({ devClock }) => becomeServer(devClock ? ["--dev-clock"] : [])
).pipe(
  Command.withDescription("Run a server until it is told to stop (Ctrl-C), with the settings of the environment"),
  Command.withExamples([
    { command: "headwater start", description: "On port 8787, with its data in ./.headwater" },
    { command: "HEADWATER_PORT=9000 headwater start", description: "On another port" },
    {
      command: "HEADWATER_DATA_DIR=.headwater-test headwater start --dev-clock",
      description: "With a clock for `headwater clock`, for tests"
    }
  ])
)
