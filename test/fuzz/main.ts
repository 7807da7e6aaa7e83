import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fuzz from "./Fuzz.ts"

const minutes = Flag.Finite("minutes").pipe(
  Flag.withDescription("For how long requests are sent"),
  Flag.filter((given) => given > 0, (given) => `Expected more than 0 minutes, got ${given}`),
  Flag.withDefault(1)
)

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("The same seed sends the same requests; without one, a new one is chosen"),
  Flag.filter((given) => given >= 0 && given <= 0x7ffffff, (given) => `Expected 0 to ${0x7ffffff}, got ${given}`),
  Flag.optional
)

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("End with one line of JSON"),
  Flag.withDefault(false)
)

const fuzz = Command.make("fuzz", { minutes, seed, json }, ({ json, minutes, seed }) =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const chosen = Option.getOrElse(seed, () => now % 0x7ffffff)
    yield* Console.log(`seed ${chosen}, ${minutes} min`)
    const report = yield* Fuzz.run({ minutes, seed: chosen })
    yield* Fuzz.print(report)
    if (json) yield* Console.log(Fuzz.lineOf(report))
    else yield* Console.log(Fuzz.isBroken(report) ? "An invariant broke." : "All invariants hold.")
    if (Fuzz.isBroken(report)) process.exitCode = 1
  })).pipe(Command.withDescription("Send generated requests, in order and not, to a server of its own"))

Command.run(fuzz, { version }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain())
