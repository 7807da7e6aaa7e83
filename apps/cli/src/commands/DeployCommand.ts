import { InitialState } from "@headwater/api/SourcesApi"
import { Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Attachments from "../code/Attachments.ts"
import * as CodeFile from "../code/CodeFile.ts"
import * as ComponentEntry from "../code/ComponentEntry.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import * as Deployment from "../code/Deployment.ts"
import * as WorkflowDeployment from "../code/WorkflowDeployment.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"

/** The name of what is deployed, for every command that deploys. */
export const name = Flag.String("name").pipe(
  Flag.withDescription(
    "The name of the source or workflow, or the slug of an existing one. Default: the component's name, a workflow's file or folder"
  ),
  Flag.optional
)

/** Values by their names. */
export const namedValues = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("name=value"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => {
        const end = text.indexOf("=")
        return end > 0 ? Option.some([text.slice(0, end), text.slice(end + 1)] as const) : Option.none()
      },
      (text) => `Expected name=value, not ${JSON.stringify(text)}`
    ),
    Flag.atLeast(0)
  )

/** Values of props, for every command that deploys. */
export const props = namedValues(
  "prop",
  "Give a prop a value; may be repeated. JSON for integers, booleans, arrays, objects and timers, else text"
)

/** Says that code is a workflow's, for every command that deploys. */
export const workflow = Flag.Boolean("workflow").pipe(
  Flag.withDescription("The code is a workflow's; not needed for a file named workflow"),
  Flag.withDefault(false)
)

/** The flag for each field of what is deployed. */
export const words: FlagWords.Flags = {
  name: "--name",
  project_id: "--project",
  configured_props: "--prop",
  initial_state: "--initial-state"
}

/** A component that is at no path of this machine, as it is written: a URL, or a key of the registry. */
const elsewhere = (what: string): Effect.Effect<Deployment.Subject, CommandRefused> => {
  if (/^(https?|npm):/i.test(what)) return Effect.succeed({ _tag: "Url", url: what })
  return /[/\\]|^\./.test(what) || CodeFile.typeOf(what) !== undefined
    ? Effect.fail(new CommandRefused({ message: `There is no file or folder ${what}` }))
    : Effect.succeed({ _tag: "Key", key: what })
}

/** The component that an argument leads to: the code of files, or something that the server finds itself. */
export const subjectOf = Effect.fnUntraced(
  function*(what: string, entry: Option.Option<ComponentEntry.ComponentEntry>) {
    if (Option.isNone(entry)) return yield* elsewhere(what)
    const files = yield* ComponentFiles
    const bundle = yield* Progress.during(() => "Bundling")(files.bundle(entry.value.file, new Set()))
    return { _tag: "Code", bundle, name: entry.value.name } satisfies Deployment.Subject as Deployment.Subject
  }
)

const decodeState = Schema.decodeUnknownEffect(Schema.fromJsonString(InitialState), {
  errors: "all",
  onExcessProperty: "error"
})

/** The state of a source that was at work elsewhere before, from a file. */
const stateOf = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), ({ message }) => new CommandRefused({ message }))
  return yield* Effect.mapError(
    decodeState(text),
    ({ message }) => new CommandRefused({ message: `${path}: ${message}` })
  )
})

/** Creates a source of a component, or a workflow, or gives the one that is there its new code. */
export const deployCommand = Command.make(
  "deploy",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A file, a folder, a URL, or the key of a component in the registry")
    ),
    name,
    props,
    workflow,
    project: Flag.String("project").pipe(
      Flag.withDescription(
        "The name, slug or id of the project that it is to belong to; empty for none. Default: as before"
      ),
      Flag.optional
    ),
    initialState: Flag.String("initial-state").pipe(
      Flag.withDescription(
        "A JSON file with the state that a new source begins with: db, emitted_ids, polled_at_ms, emit_from_ms"
      ),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(
    function*({ initialState: stateFile, json, name: givenName, project: givenProject, props, what, workflow }) {
      const name = Option.getOrUndefined(givenName)
      const project = Option.getOrUndefined(givenProject)
      const entry = yield* ComponentEntry.find(what)
      const subject = yield* subjectOf(what, entry)
      const initialState = Option.isSome(stateFile) ? yield* stateOf(stateFile.value) : undefined
      const isWorkflow = workflow || Option.exists(entry, (found) => found.isWorkflow)
      if (isWorkflow && initialState !== undefined) {
        return yield* new CommandRefused({ message: "--initial-state is for sources: a workflow has no such state" })
      }
      const folder = Option.filter(entry, ({ file }) => file !== Path.resolve(what))
      const attachments = isWorkflow && Option.isSome(folder)
        ? yield* Attachments.find(Path.dirname(folder.value.file))
        : undefined
      const deployment = isWorkflow
        ? yield* WorkflowDeployment.make({ name, project, props, attachments, during: Progress.during })
        : yield* Deployment.make({
          name,
          project,
          props,
          initialState,
          asks: !json && (yield* Confirmation.isAtTerminal),
          during: Progress.during
        })
      const { apply } = yield* deployment.prepare(subject)
      const deployed = yield* apply
      yield* Output.print(json, Deployment.jsonOf(deployed), Deployment.linesOf(deployed))
    },
    FlagWords.inFlags(words)
  )
).pipe(
  Command.withDescription(
    "Create or update a source or a workflow from code and all the files that it imports"
  ),
  Command.withExamples([
    { command: "headwater deploy orders.ts --prop shop=north", description: "A file and what it imports" },
    { command: "headwater deploy ./orders --name Orders", description: "A folder" },
    { command: "headwater deploy headwater-schedule", description: "A component from the registry" },
    { command: "headwater deploy orders.ts --workflow", description: "A workflow" }
  ]),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
