import type { ConfigurableProp } from "@headwater/domain/Component"
import { Effect, FileSystem, Option, Result, Schema, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CodeCheck from "../code/CodeCheck.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import * as Deployment from "../code/Deployment.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import * as ProgramByName from "../given/ProgramByName.ts"
import * as PropValue from "../given/PropValue.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as TrialText from "../text/TrialText.ts"
import { props, workflow } from "./DeployCommand.ts"

const refuse = (message: string) => new CommandRefused({ message })

const parseJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Json))

const readEvent = Effect.fnUntraced(
  function*(file: string) {
    const text = file === "-"
      ? yield* (yield* Stdio.Stdio).stdin.pipe(Stream.decodeText, Stream.mkString)
      : yield* (yield* FileSystem.FileSystem).readFileString(file)
    return yield* Effect.mapError(parseJson(text), ({ message }) => refuse(`${file} is not JSON: ${message}`))
  },
  (effect, file) =>
    effect.pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(refuse(`Can't read ${file}: ${error.message}`)))
    )
)

/** The values that `--prop` gives, by the types that the code declares. */
export const valuesOf = (
  declared: ReadonlyArray<ConfigurableProp>,
  given: ReadonlyArray<readonly [string, string]>
) =>
  Effect.forEach(given, ([name, text]) => {
    const prop = declared.find((one) => one.name === name)
    const value = prop === undefined ? Result.succeed(PropValue.ofAnyType(text)) : PropValue.parse(prop, text)
    return Effect.mapBoth(Effect.fromResult(value), {
      onSuccess: (value) => [name, value] as const,
      onFailure: (why) => refuse(`--prop ${name}: ${why}`)
    })
  }).pipe(Effect.map(Object.fromEntries<Schema.Json>))

/** The code as requests give it, and the props that it declares. */
export const codeOf = Effect.fnUntraced(function*({ isWorkflow, subject }: CodeCheck.Found) {
  const { call } = yield* ApiAccess
  if (subject._tag === "Key") {
    const { data } = yield* call(({ components }) =>
      components.getPublished({ params: { key: subject.key }, query: {} })
    )
    return { parameters: { component_id: data.id }, declared: data.configurable_props, name: data.name }
  }
  const checked = yield* CodeCheck.ask(subject, isWorkflow)
  if (!checked.valid) return yield* refuse(CodeCheck.errorLines(checked).join("\n"))
  return {
    parameters: CodeCheck.parametersOf(subject, isWorkflow),
    declared: checked.configurable_props,
    name: checked.name ?? ""
  }
})

const placeFor = Effect.fnUntraced(function*(name: Option.Option<string>, kind: "source" | "workflow") {
  if (Option.isNone(name)) return {}
  const found = yield* ProgramByName.find(kind, name.value)
  if (found === undefined) return yield* refuse(`There is no ${kind} ${JSON.stringify(name.value)}`)
  return kind === "source" ? { source_id: found.id } : { workflow_id: found.id }
})

/** The flag for each field of a trial. */
const words: FlagWords.Flags = {
  event: "--event",
  emitter_id: "--emitter",
  event_id: "--event-id",
  trigger: "--trigger",
  source_id: "--as",
  workflow_id: "--as",
  configured_props: "--prop"
}

/** Runs code once on the server, and shows what it would do. */
export const runCommand = Command.make(
  "run",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A file, a folder, a URL, or the key of a component in the registry")
    ),
    event: Flag.String("event").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("A JSON file with what the code gets; - for standard input. Default: an empty one"),
      Flag.optional
    ),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Take an event of this source or workflow, by name, slug or id, in place of a file"),
      Flag.optional
    ),
    eventId: EventIdGiven.flag("event-id", "The id of that event"),
    trigger: Flag.Literals("trigger", ["http", "timer", "event", "deploy", "activate", "deactivate"]).pipe(
      Flag.withDescription("What the code is run for. Default: by its props"),
      Flag.optional
    ),
    as: Flag.String("as").pipe(
      Flag.withDescription("The source or workflow in whose place it runs: with its props and a copy of its store"),
      Flag.optional
    ),
    props,
    noRequests: Flag.Boolean("no-requests").pipe(
      Flag.withDescription("Let the code open no connections; without this its requests are made"),
      Flag.withDefault(false)
    ),
    workflow,
    json: Output.json
  },
  Effect.fnUntraced(function*({ as, emitter, event, eventId, json, noRequests, props, trigger, what, workflow }) {
    const { call } = yield* ApiAccess
    const found = yield* CodeCheck.find(what, workflow)
    const { declared, name, parameters } = yield* codeOf(found)
    const payload = {
      ...parameters,
      ...(yield* placeFor(as, found.isWorkflow ? "workflow" : "source")),
      configured_props: yield* valuesOf(declared, props),
      ...(Option.isNone(trigger) ? {} : { trigger: trigger.value }),
      ...(Option.isNone(event) ? {} : { event: yield* readEvent(event.value) }),
      ...(yield* Naming.fieldOf("emitter_id", Kind.emitters, emitter)),
      ...(Option.isNone(eventId) ? {} : { event_id: eventId.value }),
      requests: noRequests ? "refuse" as const : "send" as const
    }
    const { data } = yield* call(({ code }) => code.tryCode({ headers: {}, payload })).pipe(
      Effect.catchTags({
        ComponentInvalidProblem: (problem) => Effect.fail(Deployment.inFiles(found.subject)(problem)),
        HookFailedProblem: (problem) => Effect.fail(Deployment.inFiles(found.subject)(problem)),
        InvalidRequestProblem: (problem) => Effect.fail(Deployment.toldOf(name, problem))
      })
    )
    const { subject } = found
    const trial = TrialText.inPlace(data, subject._tag === "Code" ? subject.bundle.place : undefined)
    yield* Output.print(json, trial, TrialText.linesOf(trial))
    const failure = TrialText.failureOf(trial)
    if (failure !== undefined) return yield* refuse(failure)
  }, FlagWords.inFlags(words))
).pipe(
  Command.withDescription("Run code once on the server and show what it would emit, store and send. Nothing is kept"),
  Command.withExamples([
    { command: "headwater run orders.ts --event order.json", description: "Over an event of your own" },
    {
      command: "headwater run orders.ts --as orders --emitter shop --event-id 1760000120000-0",
      description: "In the place of a source, over an event of another"
    }
  ]),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
