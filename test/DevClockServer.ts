import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import type { ServerProcess } from "./ServerProcess.ts"

/** For a server that has a clock which can be moved. */
export const environment = { HEADWATER_DEV_CLOCK: "1", HEADWATER_LOG_RATE: "1" }

export const idOf = (json: Json.Json) => Json.textOf(json["data"]!["id"])
export const numberOf = (json: Json.Json | undefined) => Number(json)

/** What time it is for the server. */
export const now = (server: ServerProcess) =>
  Effect.map(server.api("GET", "/clock"), ({ data }) => numberOf(data!["now"]))

export const operation = (server: ServerProcess, id: string) =>
  Effect.map(server.api("GET", `/clock/operations/${id}`), (found) => found["data"]!)

/** Waits for an advance, and answers what it came to. */
export const ended = (server: ServerProcess, id: string) =>
  operation(server, id).pipe(
    Effect.repeat({ until: (found) => String(found["state"]) === "done", schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("3 minutes")
  )

/** Moves the clock, and answers what that came to. */
export const advance = (server: ServerProcess, body: unknown) =>
  Effect.flatMap(server.api("POST", "/clock/advance", body), (begun) => ended(server, idOf(begun)))

/** All events of the default stream, oldest first. */
export const eventsOf = Effect.fnUntraced(function*(server: ServerProcess, sourceId: string) {
  const events: Array<Json.Json> = []
  for (let cursor = "";;) {
    const page = yield* server.api("GET", `/sources/${sourceId}/events?limit=100&event_name=default${cursor}`)
    const found = Json.listOf(page["data"])
    events.push(...found)
    if (found.length < 100) return events.toReversed()
    cursor = `&after=${Json.textOf(page["page_info"]!["end_cursor"])}`
  }
})

/** When an event came into its log, in Unix milliseconds. */
export const timeOfId = (id: Json.Json | undefined) => Number(Json.textOf(id).split("-")[0])

/** What an event of a source says. */
export const payloadOf = (event: Json.Json) => event["event"]!["raw_event"]!

/** One attempt, when it began and by which number of its delivery. */
export interface MadeAttempt {
  readonly at: number
  readonly attempt: number
  readonly nextAt: number | null
}

/** The attempts of each delivery to a webhook, the oldest delivery first. */
export const attemptsOf = Effect.fnUntraced(function*(server: ServerProcess, webhookId: string) {
  const deliveries = Json.listOf((yield* server.api("GET", `/webhooks/${webhookId}/deliveries?limit=100`))["data"])
  return yield* Effect.forEach(
    deliveries.toReversed(),
    ({ id }) =>
      Effect.map(server.api("GET", `/deliveries/${Json.textOf(id)}`), ({ data }) => ({
        state: Json.textOf(data!["state"]),
        attempts: Json.listOf(data!["attempts"]).map((made): MadeAttempt => ({
          at: numberOf(made["started_at_ms"]),
          attempt: numberOf(made["attempt"]),
          nextAt: made["next_attempt_at_ms"] as never
        }))
      }))
  )
})
