import { Effect, Predicate } from "effect"
import type { Operation } from "./ApiDocument.ts"
import * as Execution from "./Execution.ts"
import type { Finding } from "./Findings.ts"
import { jsonOf } from "./HttpAnswer.ts"
import * as Parts from "./Parts.ts"
import type * as Placeholder from "./Placeholder.ts"
import type { Plan } from "./Plan.ts"
import type { Tenant } from "./Tenant.ts"

/** A list of the account's, and how many of it are left to stand. */
interface Bed {
  readonly kind: Placeholder.Kind
  readonly list: string
  readonly item: string
  readonly keeps: number
}

const beds: ReadonlyArray<Bed> = [
  { kind: "source", list: "/v1/users/me/sources", item: "/v1/sources", keeps: 5 },
  { kind: "webhook", list: "/v1/users/me/webhooks", item: "/v1/webhooks", keeps: 10 },
  { kind: "consumer", list: "/v1/consumers", item: "/v1/consumers", keeps: 5 },
  { kind: "key", list: "/v1/users/me/keys", item: "/v1/users/me/keys", keeps: 5 },
  { kind: "autoSubscription", list: "/v1/users/me/auto_subscriptions", item: "/v1/auto_subscriptions", keeps: 5 },
  { kind: "workflow", list: "/v1/users/me/workflows", item: "/v1/workflows", keeps: 5 },
  { kind: "appAccount", list: "/v1/accounts", item: "/v1/accounts", keeps: 5 }
]

const keptSubscriptions = 20

const request = (operation: string, method: string, target: string): Plan => ({
  mode: "valid",
  operation,
  trait: "clearing away",
  expects: "taken",
  content: {
    type: "messages",
    messages: [{ method, target, headers: Parts.headers, body: { type: "none" }, framing: { type: "length" } }]
  }
})

const itemsOf = (body: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(body, "data") && Array.isArray(body.data) ? body.data : []

const textAt = (item: unknown, name: string): string =>
  Predicate.hasProperty(item, name) && Predicate.isString(item[name]) ? item[name] : ""

/**
 * Deletes what is over of an account's things, the oldest first, and learns which there are, so that neither the server
 * fills up nor the requests name what is long gone.
 */
export const tend = Effect.fnUntraced(function*(target: Execution.Target, tenant: Tenant) {
  const found: Array<Finding> = []
  const send = Effect.fnUntraced(function*(method: string, path: string) {
    const plan = request("garden", method, path)
    const outcome = yield* Execution.execute(target, tenant, plan, undefined)
    for (const fault of outcome.faults) found.push({ fault, account: tenant.name, plan, ...outcome })
    const answer = outcome.answers[0]
    return answer === undefined ? undefined : jsonOf(answer)
  })
  const paths = new Set(target.operations.map(({ path }: Operation) => path))
  for (const { item, keeps, kind, list } of beds) {
    if (!paths.has(list)) continue
    const ids = itemsOf(yield* send("GET", `${list}?limit=100`)).map((found) => textAt(found, "id"))
    for (const id of ids.slice(keeps).filter((id) => !tenant.isSpared(id))) yield* send("DELETE", `${item}/${id}`)
    tenant.keepOnly(kind, new Set(ids.slice(0, keeps)))
  }
  const subscriptions = itemsOf(yield* send("GET", "/v1/users/me/subscriptions"))
  for (const found of subscriptions.slice(keptSubscriptions)) {
    const query = ["emitter_id", "listener_id", "event_name"]
      .map((name) => `${name}=${encodeURIComponent(textAt(found, name))}`)
    yield* send("DELETE", `/v1/subscriptions?${query.join("&")}`)
  }
  return found
})
