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
    ),
    withoutWork: Flag.Boolean("without-work").pipe(
      Flag.withDescription("Only show what is there: no code, no timers, no deliveries, as for a restored backup"),
      Flag.withDefault(false)
    ),
    takeOver: Flag.Boolean("take-over").pipe(
      Flag.withDescription("Work on a database that was copied or moved; on the other one nothing may work any more"),
      Flag.withDefault(false)
    )
  },
  ({ devClock, takeOver, withoutWork }) =>
    becomeServer([
      ...(devClock ? ["--dev-clock"] : []),
      ...(withoutWork ? ["--without-work"] : []),
      ...(takeOver ? ["--take-over"] : [])
    ])
).pipe(
  Command.withDescription("Run a server until it is told to stop (Ctrl-C), with the settings of the environment"),
  Command.withExamples([
    { command: "headwater start", description: "On port 8787, with its data in ./.headwater" },
    { command: "HEADWATER_PORT=9000 headwater start", description: "On another port" },
    {
      command: "HEADWATER_DATA_DIR=.headwater-test headwater start --dev-clock",
      description: "With a clock for `headwater clock`, for tests"
    },
    { command: "headwater start --without-work", description: "To look at a restored backup" }
  ])
)
