/** Runs of a workflow as the service there has stored them. */
import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, FileSystem, Option, type Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import { type Fields, isFields } from "./Fields.ts"

type Json = Schema.Json

/** An event, and what each step of the run over it has exported. */
export interface StoredRun {
  readonly id: string | null
  readonly event: Json
  readonly exports: Fields
}

const refuse = (message: string) => new CommandRefused({ message })

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The object `steps` of a run, whose `trigger` has the event. */
const ofSteps = (id: string | null, steps: Fields): StoredRun | undefined => {
  const event = memberOf(steps["trigger"], "event")
  if (event === undefined) return undefined
  const { trigger: _, ...exports } = steps
  return { id, event, exports }
}

/** All runs in a value: `{event, exports}`, `{event, steps}`, `{steps}` or `steps` itself; lists and pages of them. */
export const runsIn = (value: Json, id: string | null = null): ReadonlyArray<StoredRun> => {
  if (Array.isArray(value)) return value.flatMap((each: Json) => runsIn(each))
  if (!isFields(value)) return []
  const own = memberOf(value, "id")
  const named = typeof own === "string" ? own : id
  const { data, event, exports, steps } = value
  if (Array.isArray(data)) return runsIn(data)
  if (event !== undefined && isFields(exports)) return [{ id: named, event, exports }]
  if (isFields(steps)) {
    const run = ofSteps(named, steps)
    if (run !== undefined) return [run]
    return event === undefined ? [] : [{ id: named, event, exports: steps }]
  }
  const run = ofSteps(named, value)
  if (run !== undefined) return [run]
  // As a list of events has it.
  return event === undefined ? [] : runsIn(event, named)
}

/** Reads the runs of a file, or of the workflow's file in an archive. */
export const read = Effect.fnUntraced(function*(place: string, movedFrom: string) {
  const files = yield* FileSystem.FileSystem
  const info = yield* Effect.option(files.stat(place))
  const isFolder = Option.isSome(info) && info.value.type === "Directory"
  const file = isFolder ? Path.join(place, "workflows", `${movedFrom}.events.json`) : place
  const text = yield* Effect.mapError(files.readFileString(file), ({ message }) => refuse(`--event: ${message}`))
  const runs = yield* Effect.try({
    // The event goes to the server with all digits of its numbers. Exports are compared as JavaScript has them.
    try: () => {
      const exact = runsIn(ExactJson.parse(text) as Json)
      return runsIn(JSON.parse(text) as Json).map((run, index) => ({ ...run, event: exact[index]!.event }))
    },
    catch: () => refuse(`${file} is not JSON`)
  })
  if (runs.length === 0) {
    return yield* refuse(
      `${file} has no event with what the steps exported: expected {"event": …, "exports": {"<step>": {…}}}, or the ` +
        "object `steps` of a run there"
    )
  }
  return runs
})
