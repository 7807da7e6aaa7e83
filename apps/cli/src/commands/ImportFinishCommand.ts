import { Console, Effect, FileSystem, Option, Predicate, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as Endpoints from "../moving/Endpoints.ts"
import * as Finishing from "../moving/Finishing.ts"
import * as KeptReport from "../moving/KeptReport.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import { namedValues } from "./DeployCommand.ts"

export const into = Flag.String("into").pipe(
  Flag.withDescription("The folder of the set-up that the import has made"),
  Flag.withDefault("moved")
)

export const nameOf = ({ record }: Finishing.Standing) => record.ref.replace(/^workflows\//, "")

const stateOf = ({ needs, record, resource }: Finishing.Standing) =>
  resource === undefined
    ? "not deployed: the report of the import says why"
    : resource.active
    ? resource.shadow === true
      ? "in shadow: what it sends is held. Change over with `headwater import switch`"
      : "active"
    : needs.some(({ isRequired }) => isRequired)
    ? "needs"
    : record.wasInactive
    ? "was switched off there: switch it on with `headwater import finish --activate`"
    : "has all that it needs: switch it on with `headwater import finish`"

const linesOf = (standing: Finishing.Standing) => [
  `${nameOf(standing)}: ${stateOf(standing)}`,
  ...standing.needs.map(({ kind, message, name }) => `  ${kind.padEnd(12)}  ${name}: ${message}`)
]

const shown = (standing: Finishing.Standing) => ({
  workflow: nameOf(standing),
  name: standing.record.name,
  moved_from: standing.movedFrom,
  id: standing.resource?.id ?? null,
  active: standing.resource?.active ?? false,
  shadow: standing.resource?.shadow ?? false,
  needs: standing.needs,
  endpoints: Endpoints.of(standing)
})

/** Shows what the workflows that were moved need yet. */
export const statusCommand = Command.make(
  "status",
  { into, json: Output.json },
  Effect.fnUntraced(function*({ into, json }) {
    const { standings } = yield* Finishing.read(into)
    const untold = yield* KeptReport.show(into, standings)
    const active = standings.filter(({ resource }) => resource?.active === true).length
    yield* Output.print(
      json,
      standings.map(shown),
      harmless([
        ...standings.flatMap(linesOf),
        `${active} of ${standings.length} workflows are active`,
        ...Endpoints.linesOf(standings),
        ...untold
      ].join("\n"))
    )
  })
).pipe(
  Command.withDescription("List what each workflow that was moved needs before it can be switched on"),
  Command.provide(ApiAccess.layer)
)

const fileValues = Effect.fnUntraced(function*(file: Option.Option<string>) {
  if (Option.isNone(file)) return []
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(file.value),
    ({ message }) => new CommandRefused({ message })
  )
  const value = yield* Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.Json))(text),
    () => new CommandRefused({ message: `${file.value} is not JSON` })
  )
  if (!Predicate.isObject(value) || Array.isArray(value)) {
    return yield* new CommandRefused({ message: `${file.value} is not a JSON object of values by their names` })
  }
  return Object.entries(value as Record<string, Schema.Json>).map(([name, json]) => [name, { json }] as const)
})

/** Gives a workflow that was moved what it needs yet. */
export const finishCommand = Command.make(
  "finish",
  {
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Its name in `headwater import status`")),
    set: namedValues(
      "set",
      "A value by its name in `headwater import status`; may be repeated. JSON, the id of an account, or text"
    ),
    file: Flag.String("file").pipe(
      Flag.withDescription("A JSON file with an object of values by their names, for secrets among others"),
      Flag.optional
    ),
    activate: Flag.Boolean("activate").pipe(
      Flag.withDescription("Switch it on, although it was switched off there"),
      Flag.withDefault(false)
    ),
    shadow: Flag.Boolean("shadow").pipe(
      Flag.withDescription("Have it run in shadow: what it sends to others is held, while it still runs there"),
      Flag.withDefault(false)
    ),
    into,
    json: Output.json
  },
  Effect.fnUntraced(function*({ activate, file, into, json, set, shadow, workflow }) {
    const { standings } = yield* Finishing.read(into)
    const standing = yield* Finishing.named(standings, workflow)
    const given: Finishing.Given = new Map<string, Finishing.Value>([
      ...yield* fileValues(file),
      ...set.map(([name, text]) => [name, { text }] as const)
    ])
    const all = !json && (yield* Confirmation.isAtTerminal) ? yield* Finishing.ask(standing, given) : given
    const { dropped } = yield* Finishing.finish(into, standing, all, {
      activates: activate,
      shadow: shadow ? true : undefined
    })
    const { standings: now } = yield* Finishing.read(into)
    const untold = yield* KeptReport.show(into, now)
    const after = yield* Finishing.named(now, standing.movedFrom)
    if (json) yield* Console.log(JSON.stringify(shown(after)))
    else {
      const told = dropped.map((name) => `  left out      ${name}: the code has no such prop`)
      yield* Console.log(harmless([...linesOf(after), ...told, ...Endpoints.linesOf([after]), ...untold].join("\n")))
    }
  })
).pipe(
  Command.withDescription("Give a workflow that was moved what it needs yet, and switch it on"),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
