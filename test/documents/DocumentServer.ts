import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ServerOnTestDatabase from "../ServerOnTestDatabase.ts"
import * as ServerProcess from "../ServerProcess.ts"
import type { trialFields } from "./Examples.ts"

/** The server on which a document's examples are run. */
export class DocumentServer extends Context.Service<DocumentServer, ServerProcess.ServerProcess>()(
  "headwater/test/DocumentServer"
) {
  static readonly layer = Layer.effect(
    DocumentServer,
    Effect.tap(ServerOnTestDatabase.make, (process) => process.startWith(ServerProcess.registrySettings))
  )
}

/** A document of the project's. */
export const read = (name: string): string =>
  Fs.readFileSync(Path.resolve(import.meta.dirname, "../../docs", name), "utf8")

/** A request to the API, whatever it is answered with. */
export const send = Effect.fnUntraced(function*(method: string, path: string, body: unknown) {
  const { url } = yield* DocumentServer
  return yield* Effect.promise(async () => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ServerProcess.key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return { status: response.status, json: Json.parse(await response.text()) }
  })
})

/** Sends JSON to an endpoint. */
export const post = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  })

/** Asks again until it is as it is to be, which what comes after has to see for itself. */
export const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isDone: (value: A) => boolean) =>
  effect.pipe(
    Effect.repeat({ until: isDone, schedule: Schedule.spaced("20 millis") }),
    Effect.timeoutOption("60 seconds")
  )

/** What a document says, with the port of this run in place of the document's. */
export const atPort = <A>(said: A, port: number): A =>
  JSON.parse(JSON.stringify(said).replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`))

/** Where a source or workflow takes requests. */
export const endpointOf = (program: Json.Json): string =>
  Object.values(program["configured_props"]!).flatMap((prop) => {
    const url: unknown = prop?.["endpoint_url"]
    return typeof url === "string" ? [url] : []
  })[0] ?? ""

/** What is in a stream of a source or workflow, oldest first. */
const stream = Effect.fnUntraced(function*(path: string, name: string) {
  const process = yield* DocumentServer
  const { data } = yield* process.api("GET", `${path}/event_summaries?event_name=${name}&expand=event`)
  return Json.listOf(data).toReversed().map(({ event }) => event!)
})

/** What a document says is in the streams of a source or workflow in the end. */
type StreamsSaid = {
  readonly [Name in "errors" | "events" | "logs" | "streams"]?: (typeof trialFields)[Name]["Type"]
}

/**
 * Holds each stream that the document speaks of against what it says.
 *
 * @param path of the source or workflow in the API
 */
export const assertStreams = Effect.fnUntraced(function*(path: string, said: StreamsSaid) {
  const { errors, events = [], logs, streams = {} } = said
  const raw = (event: Json.Json): unknown => event["raw_event"]
  const expected = [
    ...Object.entries({ default: events, ...streams }).map(([name, list]) => ({ name, list, of: raw })),
    { name: "$errors", list: errors ?? [], of: (event: Json.Json): unknown => event["error"]?.["message"] },
    ...(logs === undefined
      ? []
      : [{ name: "$logs", list: logs, of: (event: Json.Json): unknown => event["raw_event"]?.["message"] }])
  ]
  for (const { list, name, of } of expected) {
    yield* until(stream(path, name), (found) => found.length >= list.length)
    assert.deepStrictEqual((yield* stream(path, name)).map(of), [...list], name)
  }
})

/** A folder of the blocks that have a name, in which a document's commands find them. */
export const folderOf = Effect.fnUntraced(function*(named: Readonly<Record<string, string>>) {
  const folder = yield* TemporaryDirectory.make("document")
  for (const [file, code] of Object.entries(named)) {
    Fs.mkdirSync(Path.dirname(Path.join(folder, file)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, file), code)
  }
  return folder
})
