import type { DeliveryDetails, DeliveryResource } from "@headwater/api/DeliveriesApi"
import { maxLimit } from "@headwater/api/Pagination"
import * as StreamName from "@headwater/domain/Stream"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import { linesOf } from "../text/AttemptText.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const reasonOf = ({ error_class, status }: Pick<DeliveryResource, "error_class" | "status">): string =>
  status === null ? error_class ?? "" : String(status)

const list = Command.make(
  "list",
  {
    ...DeliveryFilters.flags,
    sort: DeliveryFilters.sort,
    limit: CountFlag.limit(20),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, limit, sort, ...flags }) {
    const { call } = yield* ApiAccess
    const query = yield* DeliveryFilters.query(flags)
    const found = yield* call(({ deliveries }) =>
      Effect.gen(function*() {
        const found: Array<DeliveryResource> = []
        for (let cursor = {}; found.length < limit;) {
          const { data, page_info } = yield* deliveries.list({
            query: {
              ...query,
              ...DeliveryFilters.given("sort", sort),
              limit: Math.min(limit - found.length, maxLimit),
              ...cursor
            }
          })
          found.push(...data)
          if (!page_info.has_more) break
          cursor = { after: Buffer.from(page_info.end_cursor, "base64url").toString() }
        }
        return found
      })
    )
    const rows = found.map((delivery) => [
      delivery.id,
      delivery.state,
      String(delivery.attempt_count),
      reasonOf(delivery),
      Output.timeOfMs(delivery.started_at_ms),
      Output.timeOfMs(delivery.next_attempt_at_ms)
    ])
    yield* Output.list(json, found, {
      heads: ["ID", "STATE", "ATTEMPTS", "LAST", "BEGAN (UTC)", "NEXT (UTC)"],
      rows,
      none: Object.keys(query).length > 0
        ? "No delivery matches."
        : "There is no delivery yet. Have a webhook hear something with: headwater subscribe EMITTER WEBHOOK"
    })
  }, FlagWords.inFlags(DeliveryFilters.words))
).pipe(
  Command.withDescription("List deliveries; all filters given must hold"),
  Command.withExamples([
    {
      command: "headwater deliveries list --state exhausted --since 7d",
      description: "What was given up in the last week"
    },
    {
      command: "headwater deliveries list --webhook receiver --status 5xx",
      description: "What an endpoint failed to take"
    }
  ]),
  Command.withAlias("ls")
)

const shown = (delivery: DeliveryDetails): string => {
  const { batch, event, next_attempt } = delivery
  const rows = [
    ["Delivery", delivery.id],
    ["State", delivery.state],
    ["Webhook", delivery.webhook_id ?? "none: a request of a workflow's own"],
    ["Subscription", delivery.subscription_id],
    ["Event", `${delivery.event_id} of ${delivery.emitter_id}`],
    ...(batch === undefined ? [] : [["Batch", `${batch.event_count} events, up to ${batch.last_event_id}`]]),
    ["Stream", StreamName.spelled(delivery.event_name)],
    ["Webhook-Id", event.emit_id ?? ""],
    ["Body", event.path ?? ""],
    [
      "Next attempt",
      next_attempt === null ? "none" : `${Output.timeOfMs(next_attempt.at_ms)} UTC (${next_attempt.reason})`
    ]
  ]
  return harmless([Output.table(rows), ...delivery.attempts.flatMap(linesOf)].join("\n"))
}

const id = Argument.String("delivery").pipe(Argument.withDescription("Its id, which begins with dlv_"))

const get = Command.make(
  "get",
  { id, json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ deliveries }) => deliveries.get({ params: { id }, query: {} }))
    yield* Output.print(json, data, shown(data))
  })
).pipe(
  Command.withDescription("Show a delivery with every attempt: what was sent, and what came back"),
  Command.withAlias("show")
)

const outcome = ({ id, next_attempt_at_ms, state }: DeliveryResource): string =>
  Output.table([
    ["Delivery", id],
    ["State", state],
    ["Next attempt", next_attempt_at_ms === null ? "none" : `${Output.timeOfMs(next_attempt_at_ms)} UTC`]
  ])

/** Attempts a delivery once more. */
export const retryOne = Effect.fnUntraced(function*(id: string, json: boolean) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ deliveries }) => deliveries.retry({ params: { id }, headers: {}, query: {} }))
  yield* Output.print(json, data, outcome(data))
})

const retry = Command.make("retry", { id, json: Output.json }, ({ id, json }) => retryOne(id, json)).pipe(
  Command.withDescription("Attempt a delivery once more, also one that has ended")
)

const skip = Command.make(
  "skip",
  { id, json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ deliveries }) => deliveries.skip({ params: { id }, headers: {}, query: {} }))
    yield* Output.print(json, data, outcome(data))
  })
).pipe(Command.withDescription("Drop a pending delivery"))

/** Each event on its way to a webhook. */
export const deliveriesCommand = Command.make("deliveries").pipe(
  Command.withDescription("See which events reached your webhooks and why others did not, and send them again"),
  Command.withSubcommands([list, get, retry, skip]),
  Command.provide(ApiAccess.layer)
)
