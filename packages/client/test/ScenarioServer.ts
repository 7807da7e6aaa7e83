import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import * as ServerOnTestDatabase from "../../../test/ServerOnTestDatabase.ts"
import * as ServerProcess from "../../../test/ServerProcess.ts"
import scenario from "./scenario.json" with { type: "json" }

export const apiKey = ServerProcess.key

/** Of the scenario. */
export const steps = scenario.length

export class Server extends Context.Service<Server, ServerProcess.ServerProcess>()("headwater/test/ClientsServer") {
  static readonly layer = Layer.effect(Server, Effect.tap(ServerOnTestDatabase.make, ({ start }) => start))
}

/** Where deliveries come to, of which the fifth is refused. Its answers tell what has come. */
export const sinkOf = Effect.gen(function*() {
  const sink: WebhookSink.WebhookSink = yield* WebhookSink.make((count) => ({
    status: count === 4 ? 500 : 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sink.received.filter(({ method }) => method === "POST"))
  }))
  return sink.url
})

export const root = Path.resolve(import.meta.dirname, "../../..")

/** Runs the scenario with another runtime, and answers with what it prints. */
export const runScenario = (program: string, flags: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const env = { PATH: process.env["PATH"], DENO_NO_UPDATE_CHECK: "1" }
    execFile(
      program,
      [...flags, Path.join(import.meta.dirname, "FetchScenario.ts"), ...args],
      { cwd: import.meta.dirname, env },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(stdout.trim()) : Effect.die(new Error(stderr, { cause: error })))
    )
  })
