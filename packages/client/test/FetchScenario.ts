import { Headwater, HeadwaterError, items, type Page } from "../src/Headwater.ts"
import { verifyWebhook } from "../src/WebhookSignature.ts"
import type { Call, ScenarioClient } from "./Scenario.ts"
import * as Scenario from "./Scenario.ts"

type Operations = Record<string, Record<string, (call: Call) => Promise<unknown>>>

/** The fetch client, its operations by their ids. */
export const clientOf = (headwater: Headwater): ScenarioClient => {
  const call = (operation: string, given: Call): Promise<unknown> => {
    const [group, name] = operation.split(".")
    return (headwater as unknown as Operations)[group!]![name!]!(given)
  }
  return {
    call,
    items: (operation, { query, ...given }) =>
      Array.fromAsync(
        items((place) => call(operation, { ...given, query: { ...query, ...place } }) as Promise<Page<unknown>>)
      ),
    tail: async (options) => {
      const events = await headwater.tail(options)
      return async (count) => {
        const found: Array<unknown> = []
        for await (const event of events) if (found.push(event) === count) break
        return found
      }
    },
    verify: async ({ body, headers }, key) => (await verifyWebhook({ body, headers, key })).text,
    problemOf: (error) => error instanceof HeadwaterError ? error.problem : undefined
  }
}

/** @param options where the server and the sink are */
export const run = (
  { apiKey, sinkUrl, url }: Record<"apiKey" | "sinkUrl" | "url", string>,
  surroundings?: Scenario.Surroundings
): Promise<number> => Scenario.run(clientOf(new Headwater({ url, apiKey })), sinkUrl, surroundings)

if (import.meta.main) {
  const [url, apiKey, sinkUrl] = process.argv.slice(2)
  console.log(await run({ url: url!, apiKey: apiKey!, sinkUrl: sinkUrl! }))
}
