import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import * as Path from "node:path"
import { ServerConfig } from "./ServerConfig.ts"

/** Another command has been using the database for as long as this one waited. */
export class OperatorBusy extends Schema.TaggedError<OperatorBusy>()("OperatorBusy", {
  pid: Schema.UndefinedOr(Schema.Int)
}) {
  override get message() {
    const holder = this.pid === undefined ? "Another headwater command" : `The command with process id ${this.pid}`
    return `${holder} has used the embedded database for more than 30 seconds. Try again when it has ended`
  }
}

/**
 * Holds, until the scope closes, what one process at a time has: an operator's command while it uses the embedded
 * database, which it may have started and then stops at its end, and a server while it starts that database. Waits for
 * half a minute.
 */
export const take = Effect.gen(function*() {
  const { dataDirectory } = yield* ServerConfig
  const services = yield* Layer.build(DataDirectory.layer(Path.join(dataDirectory, "operator")))
  const { lock } = Context.get(services, DataDirectory)
  yield* lock.pipe(
    Effect.catchTag("DataDirectoryInUse", () =>
      Effect.andThen(
        Effect.logInfo("Waiting for another command that is using the embedded database"),
        Effect.retry(lock, {
          while: ({ _tag }) => _tag === "DataDirectoryInUse",
          schedule: Schedule.spaced("100 millis"),
          times: 300
        })
      )),
    Effect.catchTag("DataDirectoryInUse", ({ pid }) => Effect.fail(new OperatorBusy({ pid })))
  )
})
