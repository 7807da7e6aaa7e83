import * as StreamName from "@headwater/domain/Stream"
import { explain } from "@headwater/server/ErrorExplanation"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as ComponentEntry from "../code/ComponentEntry.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import * as DevSession from "../code/DevSession.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as DeployCommand from "./DeployCommand.ts"

/** Deploys a component or a workflow on every save, and shows what comes of it. */
export const devCommand = Command.make(
  "dev",
  {
    what: Argument.String("what").pipe(Argument.withDescription("A file or a folder")),
    name: DeployCommand.name,
    props: DeployCommand.props,
    workflow: DeployCommand.workflow,
    streams: Flag.String("stream").pipe(
      Flag.withDescription("Also show the events of this stream; may be repeated"),
      Flag.atLeast(0)
    ),
    remove: Flag.Boolean("rm").pipe(
      Flag.withDescription("Delete the source or workflow at the end, with its events, even if it was there before"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ name, props, remove, streams, what, workflow }) {
    const { call } = yield* ApiAccess
    const entry = yield* ComponentEntry.find(what)
    if (Option.isNone(entry)) return yield* new CommandRefused({ message: `There is no file or folder ${what}` })
    const kind = workflow || entry.value.isWorkflow ? "workflow" : "source"
    const session = yield* DevSession.make({
      kind,
      entry: entry.value,
      name: Option.getOrUndefined(name),
      props,
      asks: yield* Confirmation.isAtTerminal,
      streams: ["default", StreamName.logs, StreamName.errors, ...streams]
    })
    const end = Effect.suspend(() => {
      const program = session.program()
      if (program === undefined) return Effect.void
      const { id, name } = program
      if (!remove) return Console.log(`\n${name} (${id}) stays in service.`)
      return call((api) => api[kind === "source" ? "sources" : "workflows"].delete({ params: { id }, query: {} })).pipe(
        Effect.andThen(Console.log(`\nDeleted ${name} (${id}).`)),
        Effect.catch((error) => Console.error(`headwater: could not delete ${name} (${id}): ${explain(error)}`))
      )
    })
    yield* Effect.ensuring(session.run, end)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Deploy a component or a workflow now and on every save, and show its events, logs, errors and runs"
  ),
  Command.withExamples([
    { command: "headwater dev orders.ts --prop shop=north", description: "A file and what it imports" },
    { command: "headwater dev ./orders --rm", description: "A folder; the source is deleted at the end" },
    { command: "headwater dev orders.ts --workflow", description: "A workflow" }
  ]),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
