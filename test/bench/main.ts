import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Backlog from "./scenarios/Backlog.ts"
import * as Bulk from "./scenarios/Bulk.ts"
import * as ConsolePages from "./scenarios/Console.ts"
import * as Endurance from "./scenarios/Endurance.ts"
import * as Held from "./scenarios/Held.ts"
import * as History from "./scenarios/History.ts"
import * as Ingest from "./scenarios/Ingest.ts"
import * as Lists from "./scenarios/Lists.ts"
import * as Many from "./scenarios/Many.ts"
import * as Noisy from "./scenarios/Noisy.ts"
import * as Peers from "./scenarios/Peers.ts"
import * as Pipeline from "./scenarios/Pipeline.ts"
import * as Sandbox from "./scenarios/Sandbox.ts"
import * as Workers from "./scenarios/Workers.ts"
import * as Workflow from "./scenarios/Workflow.ts"

const bench = Command.make("bench").pipe(
  Command.withDescription("Measure a server of its own on this machine, beside the least the machine can do"),
  Command.withSubcommands([
    Ingest.command,
    Pipeline.command,
    Peers.command,
    Noisy.command,
    Backlog.command,
    Bulk.command,
    Many.command,
    History.command,
    Held.command,
    Lists.command,
    ConsolePages.command,
    Sandbox.command,
    Workers.command,
    Workflow.command,
    Endurance.command
  ])
)

Command.run(bench, { version }).pipe(
  Effect.tapErrorTag(["RunVoid", "BenchFailed"], (error) => Console.error(`bench: ${error.message}`)),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
