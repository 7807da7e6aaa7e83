import * as Projection from "@headwater/api/Projection"
import type { RunDetails, RunResource } from "@headwater/api/WorkflowRunsApi"
import * as EventId from "@headwater/domain/EventId"
import * as ExactJson from "@headwater/domain/ExactJson"
import type { AccountId } from "@headwater/domain/Id"
import * as StreamName from "@headwater/domain/Stream"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog, type EventOutline, isWhole } from "@headwater/log/logs/EventLog"
import {
  type RunFault,
  type RunOutline,
  type RunPath,
  type StepOutline,
  WorkflowRuns
} from "@headwater/log/work/WorkflowRuns"
import { Effect, Option, type Schema, Stream } from "effect"
import { AnswerRoom } from "./AnswerRoom.ts"
import * as StreamedAnswer from "./StreamedAnswer.ts"

/** The most events of one step that are shown, and their most bytes. */
const maxEvents = 1_000
const maxEventBytes = 1024 * 1024

type Step = RunDetails["steps"][number]

/** A run to be shown. */
interface Shown {
  readonly run: RunOutline
  readonly resource: RunResource
  /** JSON text of its event, where that is not with the run. */
  readonly event: string | undefined
}

const pathOf = ({ block, branch, dueAt, path, status, waitsFor }: RunPath): RunDetails["paths"] =>
  status === "forked" ? [] : [{ path, block, branch, status, due_at_ms: dueAt, waits_for: waitsFor }]

/** A fault is kept with more fields than are told. */
const faultOf = ({ message, name, stack }: RunFault): RunFault => ({
  name,
  message,
  ...(stack === undefined ? {} : { stack })
})

/**
 * Answers with a run, its event and its steps. These can be as large as a run may make them, each of many steps: only one
 * of them is in memory at a time.
 */
export const make = Effect.gen(function*() {
  const events = yield* EventLog
  const room = yield* AnswerRoom
  const runs = yield* WorkflowRuns

  const linesOf = Effect.fnUntraced(function*(emitterId: string, left: ReadonlyArray<EventOutline>) {
    const logs = left.filter(({ stream }) => stream === StreamName.logs)
    const cut = logs.filter((line) => !isWhole(line)).map(({ id }) => id)
    const payloads = cut.length === 0 ? undefined : yield* events.payloads({ emitterId, stream: StreamName.logs }, cut)
    return logs.flatMap((line) => isWhole(line) ? line.payload : payloads?.get(line.id) ?? [])
  })

  const stepOf = Effect.fnUntraced(function*(workflowId: string, step: StepOutline) {
    const left = step.events === null
      ? []
      : yield* events.inRange(workflowId, { from: step.events.first, to: step.events.last }, maxEvents, maxEventBytes)
    const plain: Omit<Step, "configured_props" | "result" | "logs"> = {
      n: step.n,
      name: step.name,
      path: step.path,
      status: step.status,
      started_at_ms: step.startedAt,
      wall_ms: step.wallMs,
      cpu_ms: step.cpuMs,
      error: step.error === null ? null : faultOf(step.error),
      events: left
        .filter(({ stream }) => stream !== StreamName.logs)
        .map(({ id, stream }) => ({ id: EventId.format(id), event_name: stream }))
    }
    const { configuredProps, result } = yield* runs.contentOf(step)
    const lines = yield* linesOf(workflowId, left)
    return `${
      JSON.stringify(plain).slice(0, -1)
    },"configured_props":${configuredProps},"result":${result},"logs":[${lines.join()}]}`
  }, untilAnswered)

  return Effect.fnUntraced(function*(
    accountId: AccountId,
    { event, resource, run }: Shown,
    { exclude, include }: Partial<Projection.Selection>
  ) {
    const project = (data: Schema.JsonObject) => fieldsOf(Projection.project({ data }, { include, exclude }))
    const isCut = include !== undefined || exclude !== undefined
    yield* room.take(accountId, event?.length ?? (yield* runs.largestOf(run.id)))

    const parts: Array<Effect.Effect<string>> = []
    const paths = yield* untilAnswered(runs.pathsOf(run.id))
    const plain = JSON.stringify(project({ ...resource, paths: paths.flatMap(pathOf) })).slice(1, -1)
    let separator = plain === "" ? "" : ","
    const field = (name: string) => {
      const text = `${separator}"${name}":`
      separator = ","
      return text
    }
    parts.push(Effect.succeed(`{"data":{${plain}`))
    if ("event" in project({ event: null })) {
      const name = field("event")
      const kept = event === undefined ? untilAnswered(runs.eventOf(run.id)) : Effect.succeedSome(event)
      parts.push(Effect.map(kept, (event) => {
        const text = Option.getOrElse(event, () => "null")
        return name + (isCut ? JSON.stringify(project({ event: exact(text) })["event"]) : text)
      }))
    }
    if ("steps" in project({ steps: [] })) {
      parts.push(Effect.succeed(`${field("steps")}[`))
      const steps = yield* runs.stepOutlinesOf(run.id)
      for (const [index, step] of steps.entries()) {
        parts.push(Effect.map(stepOf(run.workflowId, step), (text) =>
          (index === 0 ? "" : ",") +
          (isCut ? JSON.stringify(project({ steps: [exact(text)] })["steps"]).slice(1, -1) : text)))
      }
      parts.push(Effect.succeed("]"))
    }
    parts.push(Effect.succeed("}}"))
    const text = Stream.mapEffect(Stream.fromIterable(parts, { chunkSize: 1 }), (part) => part)
    return yield* StreamedAnswer.make(accountId, text, { contentType: "application/json" })
  })
})

const exact = (text: string) => ExactJson.parse(text) as Schema.Json

const fieldsOf = (answer: Schema.Json): Schema.JsonObject => (answer as Schema.JsonObject)["data"] as Schema.JsonObject
