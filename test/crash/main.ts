import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { invariants } from "../Invariants.ts"
import * as CrashRun from "./CrashRun.ts"
import * as FaultPlan from "./FaultPlan.ts"

const summary = (report: CrashRun.CrashReport): string =>
  [
    "",
    `seed ${report.seed}, ${report.seconds} s: ended ${report.kills} times, disturbed ${report.disturbances} times`,
    `${report.acked} requests acknowledged, ${report.events} events read, ${report.deliveries} deliveries of which ` +
    `${report.duplicates} again over a fault, ${report.renewals} tokens renewed, balance looked at ${report.balance_checks} times`,
    ...Object.entries(report.faults).map(([fault, count]) => `  ${String(count).padStart(4)} ${fault}`),
    ...(report.points_not_reached.length === 0 ? [] : [`never came to: ${report.points_not_reached.join(", ")}`]),
    ...(report.findings.length === 0
      ? ["every invariant held"]
      : [
        ...report.findings,
        `kept: ${report.kept}`,
        ...Object.entries(invariants).map(([name, what]) => `${name}: ${what}`)
      ])
  ].join("\n")

const crash = Command.make(
  "crash",
  {
    minutes: Flag.Finite("minutes").pipe(Flag.withDescription("How long"), Flag.withDefault(5)),
    seed: Flag.Int("seed").pipe(Flag.withDescription("What everything random comes from"), Flag.optional),
    workers: Flag.Int("workers").pipe(
      Flag.withDescription("Processes of the server that do its work"),
      Flag.withDefault(1)
    ),
    senders: Flag.Int("senders").pipe(Flag.withDescription("Requests at once"), Flag.withDefault(8)),
    think: Flag.Int("think").pipe(
      Flag.withDescription("Most milliseconds from an answer to the next request"),
      Flag.withDefault(30)
    ),
    blackHoles: Flag.Boolean("black-holes").pipe(
      Flag.withDescription("No faults but networks that say nothing"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("End with one line of JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function*({ blackHoles, json, minutes, seed, senders, think, workers }) {
    const report = yield* CrashRun.run({
      seed: Option.getOrElse(seed, () => Date.now() % 1_000_000),
      forMs: minutes * 60_000,
      leastAcked: 0,
      recoveryMs: 30_000,
      workers,
      senders,
      thinkMs: think,
      livesBetweenSettling: 8,
      plan: blackHoles ? FaultPlan.blackHoles : FaultPlan.round(workers),
      log: (line) => process.stderr.write(`${line}\n`)
    })
    yield* Console.log(summary(report))
    if (json) yield* Console.log(JSON.stringify(report))
    if (report.findings.length > 0) process.exitCode = 1
  })
).pipe(
  Command.withDescription("Kill a loaded server again and again, and hold it to what it promises")
)

Command.run(crash, { version: "1" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain())
