/** The triggers of a workflow of n8n, as those that are known here. */
import type { Schema } from "effect"
import * as DistinctNames from "../text/DistinctNames.ts"
import { type Fields, isFields } from "./Fields.ts"
import type { TriggerSettings } from "./MovedTriggers.ts"
import { type Node, numberIn } from "./N8nGraph.ts"

type Json = Schema.Json

export interface Trigger {
  readonly id: string
  readonly settings: TriggerSettings
  readonly node: Node
}

const secondsOf = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 } as const

const number = (fields: Fields, name: string, otherwise: number) => numberIn(fields[name]) ?? otherwise

/** A cron expression in five fields; those of six begin with seconds. */
const cron = (text: Json | undefined): string | undefined => {
  const fields = typeof text === "string" && !text.startsWith("=") ? text.trim().split(/\s+/) : []
  return fields.length === 6 && /^\d+$/.test(fields[0]!)
    ? fields.slice(1).join(" ")
    : fields.length === 5
    ? fields.join(" ")
    : undefined
}

/** A rule of a schedule, as the value of a timer here. */
const ruleOf = (rule: Fields, timezone: string): Json | undefined => {
  const at = (days: string) => ({
    cron: `${number(rule, "triggerAtMinute", 0)} ${number(rule, "triggerAtHour", 0)} ${days}`,
    timezone
  })
  switch (rule["field"] ?? "days") {
    case "seconds":
      return { intervalSeconds: number(rule, "secondsInterval", 30) }
    case "minutes":
      return { intervalSeconds: number(rule, "minutesInterval", 5) * 60 }
    case "hours": {
      const hours = number(rule, "hoursInterval", 1)
      const minute = number(rule, "triggerAtMinute", 0)
      return 24 % hours === 0
        ? { cron: `${minute} ${hours === 1 ? "*" : `*/${hours}`} * * *`, timezone }
        : { intervalSeconds: hours * 3_600 }
    }
    case "days":
      return number(rule, "daysInterval", 1) === 1 ? at("* * *") : undefined
    case "weeks": {
      const days = Array.isArray(rule["triggerAtDay"]) ? rule["triggerAtDay"] : [0]
      return number(rule, "weeksInterval", 1) === 1 ? at(`* * ${days.length === 0 ? 0 : days.join(",")}`) : undefined
    }
    case "months": {
      const months = number(rule, "monthsInterval", 1)
      // Each year begins anew.
      return 12 % months === 0
        ? at(`${number(rule, "triggerAtDayOfMonth", 1)} ${months === 1 ? "*" : `*/${months}`} *`)
        : undefined
    }
    case "cronExpression": {
      const text = cron(rule["expression"])
      return text === undefined ? undefined : { cron: text, timezone }
    }
    default:
      return undefined
  }
}

/** A time of the trigger `cron`. */
const timeOf = (time: Fields, timezone: string): Json | undefined => {
  const at = (days: string) => ({ cron: `${number(time, "minute", 0)} ${number(time, "hour", 14)} ${days}`, timezone })
  switch (time["mode"] ?? "everyDay") {
    case "everyMinute":
      return { intervalSeconds: 60 }
    case "everyHour":
      return { cron: `${number(time, "minute", 0)} * * * *`, timezone }
    case "everyDay":
      return at("* * *")
    case "everyWeek":
      return at(`* * ${String(time["weekday"] ?? 1)}`)
    case "everyMonth":
      return at(`${String(time["dayOfMonth"] ?? 1)} * *`)
    case "everyX":
      return { intervalSeconds: number(time, "value", 2) * (time["unit"] === "minutes" ? 60 : 3_600) }
    case "custom": {
      const text = cron(time["cronExpression"])
      return text === undefined ? undefined : { cron: text, timezone }
    }
    default:
      return undefined
  }
}

const listIn = (value: Json | undefined, name: string): ReadonlyArray<Fields> => {
  const list = isFields(value) ? value[name] : undefined
  return Array.isArray(list) ? list.filter(isFields) : []
}

const schedules = ({ parameters, type }: Node, timezone: string): ReadonlyArray<Json | undefined> => {
  if (type === "interval") {
    const unit = String(parameters["unit"] ?? "seconds") as keyof typeof secondsOf
    return [{ intervalSeconds: number(parameters, "interval", 1) * (secondsOf[unit] ?? 1) }]
  }
  const rules = type === "cron"
    ? listIn(parameters["triggerTimes"], "item").map((time) => timeOf(time, timezone))
    : listIn(parameters["rule"], "interval").map((rule) => ruleOf(rule, timezone))
  return rules.length === 0 ? [type === "cron" ? timeOf({}, timezone) : ruleOf({}, timezone)] : rules
}

/** True if the nodes of the workflow answer the requests of a webhook, or its last one does. */
export const answersBy = ({ parameters, type }: Node): "nodes" | "last" | undefined =>
  type !== "webhook"
    ? undefined
    : parameters["responseMode"] === "responseNode"
    ? "nodes"
    : parameters["responseMode"] === "lastNode"
    ? "last"
    : undefined

/** The kind of event with which a trigger begins; others begin with what they are given. */
export const kindOf = ({ type }: Node): "http" | "timer" | "manual" =>
  type === "webhook" ? "http" : ["scheduleTrigger", "cron", "interval"].includes(type) ? "timer" : "manual"

export const of = (nodes: ReadonlyArray<Node>, timezone: string): ReadonlyArray<Trigger> => {
  const free = DistinctNames.make()
  const idOf = (prefix: string, name: string) => free(`${prefix}_${name.replace(/\W+/g, "_").slice(0, 60)}`)
  return nodes.flatMap((node): ReadonlyArray<Trigger> => {
    const { isDisabled, name, parameters } = node
    switch (kindOf(node)) {
      case "http": {
        const { responseData } = parameters
        const status = numberIn(parameters["responseCode"]) ?? 200
        const answer = answersBy(node) !== undefined
          ? true
          : { status, body: typeof responseData === "string" ? responseData : { message: "Workflow was started" } }
        return [{ id: idOf("hi", name), settings: { answer, isOff: isDisabled }, node }]
      }
      case "timer":
        return schedules(node, timezone).map((schedule) => ({
          id: idOf("ti", name),
          settings: { schedule, isOff: isDisabled },
          node
        }))
      default:
        return []
    }
  })
}
