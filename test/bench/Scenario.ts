/** What all scenarios share: their common flags, and how what they found is told. */
import { Console, Effect, Option, Schema, type Scope } from "effect"
import { Flag } from "effect/cli"
import type { BenchFailed } from "./BenchFailed.ts"
import type { BenchServerOptions } from "./BenchServer.ts"
import * as Machine from "./Machine.ts"
import * as Progress from "./Progress.ts"
import * as Report from "./Report.ts"
import * as Workbench from "./Workbench.ts"

/** The run says nothing: events were lost, or the machine was not itself. */
export class RunVoid extends Schema.TaggedError<RunVoid>()("RunVoid", {
  reasons: Schema.Array(Schema.String)
}) {
  override get message() {
    return `the run is void: ${this.reasons.join("; ")}`
  }
}

export const flags = {
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("End with one line of JSON"),
    Flag.withDefault(false)
  ),
  profile: Flag.String("profile").pipe(
    Flag.withDescription("A directory for a CPU profile of the server"),
    Flag.optional
  )
}

export const seconds = (byDefault: number, description = "How long each piece of load lasts") =>
  Flag.Finite("seconds").pipe(Flag.withDescription(description), Flag.withDefault(byDefault))

export const rounds = (byDefault: number) =>
  Flag.Int("rounds").pipe(Flag.withDescription("How often all is measured in turn"), Flag.withDefault(byDefault))

export const connections = Flag.Int("connections").pipe(
  Flag.withDescription("Connections that the load keeps busy"),
  Flag.withDefault(64)
)

export const databaseDelay = Flag.Finite("database-delay").pipe(
  Flag.withDescription("How many milliseconds a round trip to Postgres takes longer, at least, as on another machine"),
  Flag.optional
)

export interface CommonFlags {
  readonly json: boolean
  readonly profile: Option.Option<string>
}

/**
 * Runs a scenario on a workbench of its own and tells what it found.
 *
 * @param options how the server is other than by default
 */
export const run = (
  { json, profile }: CommonFlags,
  scenario: (workbench: Workbench.Workbench) => Effect.Effect<Report.Report, BenchFailed, Scope.Scope>,
  options: Omit<BenchServerOptions, "profile"> = {}
) =>
  Effect.gen(function*() {
    yield* Progress.say("starting the server")
    const workbench = yield* Workbench.make({ profile: Option.getOrUndefined(profile), ...options })
    const machine = yield* Machine.describe(workbench.server)
    yield* Console.log(Object.entries(machine).map(([name, value]) => `${name}: ${value}`).join("\n"))
    const report = yield* scenario(workbench)
    for (const table of report.tables) yield* Console.log(`\n${Report.render(table)}`)
    const summary = Report.json({ ...report, figures: { ...report.figures, machine } })
    const headline = ["throughput", "limit", "ratio", "p50_ms", "p99_ms", "lost", "duplicates"]
      .map((name) => `${name} ${String(summary[name])}`)
    yield* Console.log(`\n${report.scenario}: ${headline.join(", ")}`)
    if (json) yield* Console.log(JSON.stringify(summary))
    const reasons = Report.voidReasons(report)
    if (reasons.length > 0) return yield* new RunVoid({ reasons })
  }).pipe(Effect.scoped)
