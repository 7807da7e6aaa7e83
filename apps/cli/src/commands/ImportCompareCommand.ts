import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Comparing from "../moving/Comparing.ts"
import * as Finishing from "../moving/Finishing.ts"
import * as StoredRuns from "../moving/StoredRuns.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import { into } from "./ImportFinishCommand.ts"

/** Compares runs of a workflow there with trials of it here. */
export const compareCommand = Command.make(
  "compare",
  {
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Its name in `headwater import status`")),
    event: Flag.String("event").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("A JSON file with an event there and what each step exported, or the folder of an archive")
    ),
    requests: Flag.Boolean("requests").pipe(
      Flag.withDescription(
        "Let the code make its requests: what it sends is sent. Without this it can open no connection"
      ),
      Flag.withDefault(false)
    ),
    strict: Flag.Boolean("strict").pipe(
      Flag.withDescription("Count times and ids of the run as differences, too"),
      Flag.withDefault(false)
    ),
    into,
    json: Output.json
  },
  Effect.fnUntraced(function*({ event, into, json, requests, strict, workflow }) {
    const { standings } = yield* Finishing.read(into)
    const standing = yield* Finishing.named(standings, workflow)
    const runs = yield* StoredRuns.read(event, standing.movedFrom)
    const compared = yield* Effect.forEach(
      runs,
      (run) => Comparing.compare(standing, run, requests ? "send" : "refuse")
    )
    const different = compared.filter(({ differences, error }) =>
      error !== null || differences.some(({ incidental }) =>
        strict || incidental === null
      )
    ).length
    yield* Output.print(
      json,
      { workflow, compared, different },
      harmless([
        ...Comparing.linesOf(compared),
        `${different} of ${compared.length} events give something else here. Nothing of this was kept.`,
        ...(requests || compared.every(({ error }) => error === null)
          ? []
          : ["The code could open no connection: with --requests it makes its requests, and what it sends is sent"])
      ].join("\n"))
    )
    if (different > 0) {
      return yield* new CommandRefused({
        message: `${different} of ${compared.length} events give something else here`
      })
    }
  })
).pipe(
  Command.withDescription("Run a workflow here, as a trial, over an event that ran there, and show what differs"),
  Command.provide(ApiAccess.layer)
)
