import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import { Arbitrary, Console, Effect, Layer, Option, References } from "effect"
import { Command, Flag } from "effect/cli"
import { TestClock } from "effect/testing"
import { Commands } from "./Command.ts"
import { FreshDatabases } from "./FreshDatabases.ts"
import * as ModelRun from "./ModelRun.ts"

/** So many sequences have one seed, so that a broken one is found again without all that came before. */
const runsOfSeed = 10

const isolated = (commands: typeof Commands.Type) =>
  Effect.gen(function*() {
    const databases = yield* FreshDatabases
    yield* ModelRun.run(commands).pipe(
      Effect.provide(Layer.merge(Layer.effectContext(databases.client), TestClock.layer()))
    )
  }).pipe(Effect.scoped)

const model = Command.make(
  "model",
  {
    minutes: Flag.Finite("minutes").pipe(Flag.withDescription("How long"), Flag.withDefault(5)),
    seed: Flag.Int("seed").pipe(Flag.withDescription("What everything random comes from"), Flag.optional),
    size: Flag.Int("size").pipe(Flag.withDescription("How long sequences get"), Flag.withDefault(40)),
    replay: Flag.String("replay").pipe(Flag.withDescription("What a broken run printed"), Flag.optional),
    json: Flag.Boolean("json").pipe(Flag.withDescription("End with one line of JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function*({ json, minutes, replay, seed, size }) {
    const first = Option.getOrElse(seed, () => Date.now() % 1_000_000)
    const until = Date.now() + minutes * 60_000
    let sequences = 0
    let commands = 0
    let broken: string | undefined
    const property = (sequence: typeof Commands.Type) =>
      Effect.as(
        Effect.tap(isolated(sequence), () =>
          Effect.sync(() => {
            sequences += 1
            commands += sequence.length
          })),
        true
      )
    for (let at = first; Date.now() < until && broken === undefined; at++) {
      const result = yield* Arbitrary.checkEffect(Arbitrary.schema(Commands), property, {
        runs: runsOfSeed,
        seed: at,
        size,
        maxShrinks: 60,
        ...(Option.isNone(replay) ? {} : { replay: replay.value })
      })
      broken = Arbitrary.formatCheckFailure(result)
      process.stderr.write(
        `seed ${at}: ${sequences} sequences of ${commands} commands${broken === undefined ? "" : ", broken"}\n`
      )
      if (Option.isSome(replay)) break
    }
    yield* Console.log(broken ?? `the engine did what its model does: ${sequences} sequences, ${commands} commands`)
    if (json) yield* Console.log(JSON.stringify({ seed: first, sequences, commands, broken: broken !== undefined }))
    if (broken !== undefined) process.exitCode = 1
  })
).pipe(
  Command.withDescription("Hold the engine to a small model of it, by random sequences of what can be asked of it"),
  Command.provide(
    Layer.merge(FreshDatabases.layer, realSandbox({ allow: "loopback", pool: { warmProcesses: 1, idleMillis: 1_000 } }))
  )
)

Command.run(model, { version: "1" }).pipe(
  Effect.provideService(References.MinimumLogLevel, "Error"),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain()
)
