import { Predicate, type Schema } from "effect"
import { isFields } from "./Fields.ts"
import type { TriggerSettings } from "./MovedTriggers.ts"
import type { Finding } from "./MovingReport.ts"
import { Shape } from "./Shape.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** A trigger of an archive. */
export interface ArchivedTrigger {
  readonly id: string
  readonly path: WorkflowFile.Path
  readonly settings: TriggerSettings
}

interface Reading {
  readonly unknown: Array<readonly [WorkflowFile.Path, Json]>
  tell(kind: Finding["kind"], path: WorkflowFile.Path, message: string): void
}

const prefixes = /^(hi|ti|ei|dc|sub)_/

/** The kind of a trigger whose id does not say it, by what it has. */
const prefixOf = ({ names }: Shape): string | undefined => {
  const has = (...any: ReadonlyArray<string>) => any.some((name) => names.includes(name))
  return has("cron", "interval_seconds", "intervalSeconds")
    ? "ti"
    : has("email_address")
    ? "ei"
    : has("component_id", "source_id")
    ? "dc"
    : has("endpoint_url", "custom_response")
    ? "hi"
    : undefined
}

const scheduleOf = (shape: Shape): Json | undefined => {
  const cron = shape.text("cron", "cron_expression")
  const timezone = shape.text("timezone", "time_zone")
  const seconds = shape.value("interval_seconds", "intervalSeconds")
  if (cron !== undefined) return { cron, ...(timezone === undefined ? {} : { timezone }) }
  const number = typeof seconds === "string" ? Number(seconds) : seconds
  return typeof number === "number" && number > 0 ? { intervalSeconds: number } : undefined
}

/** The answer of an endpoint: whether the code gives it, or a fixed one. */
const answerOf = (value: Json | undefined): Json | undefined => {
  if (value === undefined || typeof value === "boolean") return value
  if (!Predicate.isObject(value) || Array.isArray(value)) return undefined
  const { body, headers, status, status_code } = value as Readonly<Record<string, Json>>
  const code = Number(status ?? status_code ?? 200)
  return {
    ...(Number.isInteger(code) ? { status: code } : {}),
    ...(Predicate.isObject(headers) ? { headers } : {}),
    ...(body === undefined || body === null ? {} : { body })
  }
}

const readOne = (value: Json, path: WorkflowFile.Path, reading: Reading): ReadonlyArray<ArchivedTrigger> => {
  if (!isFields(value)) {
    reading.unknown.push([path, value])
    return []
  }
  const shape = new Shape(value, path, reading.unknown)
  const given = shape.text("id", "trigger_id", "source_id")
  const prefix = given !== undefined && prefixes.test(given) ? undefined : prefixOf(shape)
  const id = prefix === undefined ? given : `${prefix}_${given ?? path.at(-1)}`
  if (id === undefined) {
    reading.unknown.push([path, value])
    reading.tell("failed", path, "the trigger is not understood")
    return []
  }
  const inner = shape.shape("config", "settings") ?? new Shape({}, path, reading.unknown)
  const answer = shape.value("custom_response", "customResponse", "response") ??
    inner.value("custom_response", "customResponse", "response")
  const settings: TriggerSettings = {
    address: shape.text("endpoint_url", "email_address", "url") ?? inner.text("endpoint_url", "email_address", "url"),
    schedule: scheduleOf(shape) ?? scheduleOf(inner),
    answer: answerOf(answer),
    isOff: shape.value("active", "enabled") === false
  }
  // The source has them, and the rest names it.
  shape.value("configured_props", "component_id", "name", "key", "namespace", "component")
  shape.rest()
  inner.rest()
  return [{ id, path, settings }]
}

/** The triggers of a workflow. */
export const readAll = (shape: Shape, reading: Reading): ReadonlyArray<ArchivedTrigger> => {
  const list = shape.list("triggers")
  if (list !== undefined) return list.value.flatMap((value, index) => readOne(value, [...list.path, index], reading))
  const one = shape.value("trigger")
  return one === undefined ? [] : readOne(one, [...shape.path, "trigger"], reading)
}
