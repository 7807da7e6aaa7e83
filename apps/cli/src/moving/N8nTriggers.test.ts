import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import * as N8nGraph from "./N8nGraph.ts"
import * as N8nTriggers from "./N8nTriggers.ts"

/** The schedules of one trigger, in the time zone of the workflow. */
const schedulesOf = (type: string, parameters: Record<string, Schema.Json>) => {
  const graph = N8nGraph.of(
    { nodes: [{ name: "At", type: `n8n-nodes-base.${type}`, typeVersion: 1, parameters }], connections: {} },
    []
  )
  if (typeof graph === "string") throw new Error(graph)
  return N8nTriggers.of([...graph.nodes.values()], "Europe/Berlin").map(({ settings }) => settings.schedule)
}

const ruleOf = (rule: Record<string, Schema.Json>) => schedulesOf("scheduleTrigger", { rule: { interval: [rule] } })
const timeOf = (time: Record<string, Schema.Json>) => schedulesOf("cron", { triggerTimes: { item: [time] } })
const cron = (text: string) => [{ cron: text, timezone: "Europe/Berlin" }]
const every = (intervalSeconds: number) => [{ intervalSeconds }]
/** `finish` asks for it. */
const unsaid = [undefined]

describe("a schedule of n8n", () => {
  it("is a timer of the same times, for each kind of rule", () => {
    assert.deepStrictEqual(ruleOf({ field: "seconds", secondsInterval: 45 }), every(45))
    assert.deepStrictEqual(ruleOf({ field: "seconds" }), every(30))
    assert.deepStrictEqual(ruleOf({ field: "minutes", minutesInterval: 7 }), every(420))
    assert.deepStrictEqual(ruleOf({ field: "minutes" }), every(300))
    assert.deepStrictEqual(ruleOf({ field: "hours" }), cron("0 * * * *"))
    assert.deepStrictEqual(ruleOf({ field: "hours", hoursInterval: 6, triggerAtMinute: 15 }), cron("15 */6 * * *"))
    assert.deepStrictEqual(ruleOf({ field: "hours", hoursInterval: 5 }), every(18_000))
    assert.deepStrictEqual(ruleOf({}), cron("0 0 * * *"))
    assert.deepStrictEqual(ruleOf({ field: "days", triggerAtHour: 9, triggerAtMinute: 30 }), cron("30 9 * * *"))
    assert.deepStrictEqual(ruleOf({ field: "days", daysInterval: 3 }), unsaid)
    assert.deepStrictEqual(ruleOf({ field: "weeks" }), cron("0 0 * * 0"))
    assert.deepStrictEqual(ruleOf({ field: "weeks", triggerAtDay: [1, 5], triggerAtHour: 8 }), cron("0 8 * * 1,5"))
    assert.deepStrictEqual(ruleOf({ field: "weeks", triggerAtDay: [] }), cron("0 0 * * 0"))
    assert.deepStrictEqual(ruleOf({ field: "weeks", weeksInterval: 2 }), unsaid)
    assert.deepStrictEqual(ruleOf({ field: "months" }), cron("0 0 1 * *"))
    assert.deepStrictEqual(
      ruleOf({ field: "months", monthsInterval: 3, triggerAtDayOfMonth: 15, triggerAtHour: 7 }),
      cron("0 7 15 */3 *")
    )
    assert.deepStrictEqual(ruleOf({ field: "months", monthsInterval: 5 }), unsaid)
    assert.deepStrictEqual(ruleOf({ field: "cronExpression", expression: "5 4 * * 1-5" }), cron("5 4 * * 1-5"))
    assert.deepStrictEqual(ruleOf({ field: "cronExpression", expression: "0 5 4 * * *" }), cron("5 4 * * *"))
    assert.deepStrictEqual(ruleOf({ field: "cronExpression", expression: "*/10 * * * * *" }), unsaid)
    assert.deepStrictEqual(ruleOf({ field: "cronExpression", expression: "={{ $json.cron }}" }), unsaid)
    assert.deepStrictEqual(ruleOf({ field: "fortnights" }), unsaid)
  })

  it("has a timer for each of its rules, and one a day without any", () => {
    assert.deepStrictEqual(
      schedulesOf("scheduleTrigger", { rule: { interval: [{ field: "hours" }, { field: "seconds" }] } }),
      [...cron("0 * * * *"), ...every(30)]
    )
    assert.deepStrictEqual(schedulesOf("scheduleTrigger", {}), cron("0 0 * * *"))
  })

  it("of the older triggers is the same", () => {
    assert.deepStrictEqual(timeOf({ mode: "everyMinute" }), every(60))
    assert.deepStrictEqual(timeOf({ mode: "everyHour", minute: 5 }), cron("5 * * * *"))
    assert.deepStrictEqual(timeOf({}), cron("0 14 * * *"))
    assert.deepStrictEqual(timeOf({ mode: "everyWeek", weekday: "3", hour: 8 }), cron("0 8 * * 3"))
    assert.deepStrictEqual(timeOf({ mode: "everyMonth", dayOfMonth: 2 }), cron("0 14 2 * *"))
    assert.deepStrictEqual(timeOf({ mode: "everyX", value: 3, unit: "hours" }), every(10_800))
    assert.deepStrictEqual(timeOf({ mode: "everyX", value: 3, unit: "minutes" }), every(180))
    assert.deepStrictEqual(timeOf({ mode: "custom", cronExpression: "1 2 3 * *" }), cron("1 2 3 * *"))
    assert.deepStrictEqual(schedulesOf("interval", { interval: 2, unit: "hours" }), every(7_200))
    assert.deepStrictEqual(schedulesOf("interval", {}), every(1))
  })
})
