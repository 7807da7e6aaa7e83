import type { Component } from "@headwater/domain/Component"
import { interfaceTypes } from "@headwater/domain/Component"
import type { Issue } from "@headwater/domain/ConfiguredProps"
import { declaredProps, type Program } from "@headwater/domain/Program"
import * as Storable from "@headwater/domain/Storable"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { defaultLimits } from "@headwater/sandbox/SandboxLimits"
import { Clock, Effect, Schema } from "effect"
import * as Dedupe from "./Dedupe.ts"

/** The state that a source begins with, since it was at work elsewhere before. */
export interface InitialState {
  /** Values of `$.service.db` as JSON text, by their keys. */
  readonly db: Readonly<Record<string, string>>
  /** The ids of events that were emitted, the oldest first. */
  readonly emittedIds: ReadonlyArray<string | number>
  /** The time of its last poll, in Unix milliseconds. */
  readonly polledAt: number | undefined
  /** The time before which events were emitted elsewhere, in Unix milliseconds. */
  readonly emitFrom: number | undefined
}

/** An initial state that does not fit the component. */
export class InvalidInitialState extends Schema.TaggedError<InvalidInitialState>()("InvalidInitialState", {
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

const issuesOf = (
  state: InitialState,
  { dedupe }: Component,
  { timers }: Pick<Program, "timers">,
  types: ReadonlyArray<string>,
  now: number
): ReadonlyArray<Issue> => {
  const { db, emittedIds, polledAt } = state
  const entries = Object.entries(db)
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
  const issues: Array<Issue> = []
  const note = (field: string, isFault: boolean, message: string) => {
    if (isFault) issues.push({ path: `initial_state.${field}`, message })
  }
  note("db", entries.length > 0 && !types.includes(interfaceTypes.db), "the component has no prop of type $.service.db")
  for (const [key, value] of entries) {
    note(`db.${key}`, !Storable.isKey(key) || !Storable.isText(value), Storable.keyExpected)
  }
  note("db", bytes > defaultLimits.dbBytes, `expected at most ${defaultLimits.dbBytes} bytes of keys and values`)
  note("emitted_ids", emittedIds.length > 0 && dedupe === null, "the component has no dedupe strategy")
  note("polled_at_ms", polledAt !== undefined && Object.keys(timers).length === 0, "the component has no timer")
  note("polled_at_ms", polledAt !== undefined && polledAt > now, "expected a time that has passed")
  return issues
}

/** Refuses a state that the component can't begin with. */
export const check = Effect.fnUntraced(function*(
  state: InitialState,
  component: Component,
  program: Pick<Program, "additionalProps" | "timers">
) {
  const types = declaredProps(component, program).map(({ type }) => type)
  const issues = issuesOf(state, component, program, types, yield* Clock.currentTimeMillis)
  if (issues.length > 0) return yield* new InvalidInitialState({ issues })
})

/** Writes the state of a new program, in the transaction that creates it. */
export const makeWrite = Effect.gen(function*() {
  const marks = yield* DedupeMarks
  const programState = yield* ProgramState

  return Effect.fnUntraced(function*(programId: string, { dedupe }: Component, { db, emittedIds }: InitialState) {
    const seenAt = yield* Clock.currentTimeMillis
    const writes = Object.entries(db).map(([key, value]) => ({ programId, key, value }))
    if (writes.length > 0) yield* programState.write(writes)
    if (dedupe === null || emittedIds.length === 0) return
    const emitted = Dedupe.decide(dedupe, emittedIds, new Map()).marks
    yield* marks.add([...emitted].map(([mark, value]) => ({ emitterId: programId, mark, value, seenAt })))
  })
})

/** The mark of a source that has polled once since it began here. */
const begunMark = "begun"

/** The place in time at which a source goes on where another one has been, as one of its runs finds it. */
export interface Beginning {
  /** Unix milliseconds. */
  readonly emitFrom: number
  readonly hasBegun: boolean
}

/** The marks that say whether a source has begun. */
export const marksFor = ({ emitFrom }: Pick<Program, "emitFrom">): ReadonlyArray<string> =>
  emitFrom === null ? [] : [begunMark]

export const beginningOf = (
  { emitFrom }: Pick<Program, "emitFrom">,
  known: ReadonlyMap<string, string>
): Beginning | undefined => emitFrom === null ? undefined : { emitFrom, hasBegun: known.has(begunMark) }

/** The mark that a run leaves by which a source has begun; none for any other run. */
export const markOf = (
  beginning: Beginning | undefined,
  isPoll: boolean
): ReadonlyArray<readonly [mark: string, value: string]> =>
  beginning === undefined || beginning.hasBegun || !isPoll ? [] : [[begunMark, ""]]

/** Tells of events that were left out. */
export const noteOf = (count: number, { emitFrom }: Beginning): string =>
  `${count} ${count === 1 ? "event" : "events"} of before ${new Date(emitFrom).toISOString()} ${
    count === 1 ? "was" : "were"
  } noted as seen and not emitted (initial_state.emit_from_ms)`
