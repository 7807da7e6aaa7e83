import * as StreamName from "@headwater/domain/Stream"
import { explain } from "@headwater/server/ErrorExplanation"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "./ApiAccess.ts"
import { CommandRefused } from "./CommandRefused.ts"
import * as ComponentEntry from "./ComponentEntry.ts"
import { ComponentFiles } from "./ComponentFiles.ts"
import * as DeployCommand from "./DeployCommand.ts"
import * as DevSession from "./DevSession.ts"

/** Deploys a component on every save, and shows what its source emits, prints and throws. */
export const devCommand = Command.make(
  "dev",
  {
    what: Argument.String("what").pipe(Argument.withDescription("A file or a folder")),
    name: DeployCommand.name,
    props: DeployCommand.props,
    streams: Flag.String("stream").pipe(
      Flag.withDescription("Also show the events of this stream; may be repeated"),
      Flag.atLeast(0)
    ),
    remove: Flag.Boolean("rm").pipe(
      Flag.withDescription("Delete the source at the end, with its events, even if it was there before"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ name, props, remove, streams, what }) {
    const { call } = yield* ApiAccess
    const entry = yield* ComponentEntry.find(what)
    if (Option.isNone(entry)) return yield* new CommandRefused({ message: `There is no file or folder ${what}` })
    if (entry.value.isWorkflow) {
      return yield* new CommandRefused({
        message: `${what} is a workflow, and dev is for sources: headwater deploy ${what}`
      })
    }
    const session = yield* DevSession.make({
      entry: entry.value,
      name: Option.getOrUndefined(name),
      props,
      asks: yield* DeployCommand.isAtTerminal,
      streams: ["default", StreamName.logs, StreamName.errors, ...streams]
    })
    const end = Effect.suspend(() => {
      const source = session.source()
      if (source === undefined) return Effect.void
      const { id } = source
      if (!remove) return Console.log(`\n${source.name} (${id}) stays in service.`)
      return call(({ sources }) => sources.delete({ params: { id }, query: {} })).pipe(
        Effect.andThen(Console.log(`\nDeleted ${source.name} (${id}).`)),
        Effect.catch((error) => Console.error(`headwater: ${source.name} (${id}) is not deleted: ${explain(error)}`))
      )
    })
    yield* Effect.ensuring(session.run, end)
  }, Effect.scoped)
).pipe(
  Command.withDescription("Deploy a component now and on every save, and show its source's events, logs and errors"),
  Command.withExamples([
    { command: "headwater dev orders.ts --prop shop=north", description: "A file and what it imports" },
    { command: "headwater dev ./orders --rm", description: "A folder, for as long as the command runs" }
  ]),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
