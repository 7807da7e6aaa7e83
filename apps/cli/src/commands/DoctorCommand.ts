import * as Part from "@headwater/domain/Part"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as Check from "../examination/Check.ts"
import * as ServerExamination from "../examination/ServerExamination.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"

/** Something that was looked at is not as it must be. */
export class NotWell extends Schema.TaggedError<NotWell>()("NotWell", { names: Schema.Array(Schema.String) }) {
  override get message() {
    return `Not well: ${this.names.join(", ")}`
  }
}

/** A server that is there is asked, wherever it is; where none is, this machine is to run it. */
const examine = Effect.gen(function*() {
  const server = yield* ServerExamination.examine
  if (server.isThere) return server.checks
  const machine = yield* Part.load(() => import("../examination/MachineExamination.ts"))
  return [...server.checks, ...yield* machine.examine]
}).pipe(Progress.during(() => "Examining the server"))

/** Examines the server and what it stands on. */
export const doctorCommand = Command.make("doctor", { json: Output.json }, ({ json }) =>
  Effect.gen(function*() {
    const checks = yield* examine
    const failed = checks.filter(({ state }) => state === "failed").map(({ name }) => name)
    yield* Output.print(json, { well: failed.length === 0, checks }, harmless(Check.textOf(checks)))
    if (failed.length > 0) return yield* new NotWell({ names: failed })
  })).pipe(
    Command.withDescription(
      "Check the server, its database, clocks, egress, disk, sandbox and versions, and say what to do"
    )
  )
