#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { configCommand } from "./ConfigCommand.ts"

const headwater = Command.make("headwater").pipe(
  Command.withDescription("Operate a Headwater server"),
  Command.withSubcommands([configCommand])
)

Command.run(headwater, { version }).pipe(
  Effect.tapErrorTag("ServerConfigInvalid", (error) => Console.error(`headwater: ${error.message}`)),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
