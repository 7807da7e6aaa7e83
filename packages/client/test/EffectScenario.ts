import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import * as ListItems from "@headwater/api/ListItems"
import { tail } from "@headwater/api/Tail"
import { type Effect, Layer, ManagedRuntime, Predicate, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { verifyWebhook } from "../src/WebhookSignature.ts"
import type { Call, ScenarioClient } from "./Scenario.ts"
import * as Scenario from "./Scenario.ts"

type Operation = (request: object) => Effect.Effect<unknown, unknown>

const requestOf = ({ body = null, headers = {}, path, query = {} }: Call) => ({
  params: path,
  query,
  payload: body,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
})

/** The scenario through the Effect client. */
export const run = async ({ apiKey, sinkUrl, url }: Record<"apiKey" | "sinkUrl" | "url", string>): Promise<number> => {
  const runtime = ManagedRuntime.make(
    HeadwaterClient.layer({ url, apiKey: Redacted.make(apiKey), retry: {} }).pipe(Layer.provide(FetchHttpClient.layer))
  )
  const client = await runtime.runPromise(HeadwaterClient)
  const operationOf = (id: string): Operation => {
    const [group, name] = id.split(".")
    return (client as unknown as Record<string, Record<string, Operation>>)[group!]![name!]!
  }
  const scenario: ScenarioClient = {
    call: (operation, given) => runtime.runPromise(operationOf(operation)(requestOf(given))),
    items: (operation, { query, ...given }) => {
      const ask = (place: ListItems.Place) =>
        operationOf(operation)(requestOf({ ...given, query: { ...query, ...place } })) as Effect.Effect<
          ListItems.Page<unknown>,
          unknown
        >
      return runtime.runPromise(Stream.runCollect(ListItems.items(ask)))
    },
    tail: async (options) => {
      const events = await runtime.runPromise(tail(options))
      return (count) => runtime.runPromise(Stream.runCollect(Stream.take(events, count)))
    },
    verify: async ({ body, headers }, key) => (await verifyWebhook({ body, headers, key })).text,
    problemOf: (error) =>
      Predicate.hasProperty(error, "code") && Predicate.hasProperty(error, "detail") ? error : undefined
  }
  try {
    return await Scenario.run(scenario, sinkUrl)
  } finally {
    await runtime.dispose()
  }
}
