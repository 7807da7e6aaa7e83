import * as EmitId from "@headwater/domain/EmitId"
import type { NewEvent } from "@headwater/domain/Event"
import * as Stream from "@headwater/domain/Stream"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { DateTime, Effect } from "effect"
import { createHash } from "node:crypto"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { MailServer } from "../ground/MailServer.ts"
import type { OutgoingMail } from "../webhook/OutgoingMail.ts"
import type { EndedRun } from "./CodeRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type * as RunEvents from "./RunEvents.ts"

/** Characters of an error that an e-mail tells. */
const mostTold = 10_000

const markOf = ({ message, name }: RunEvents.RunFailure): string =>
  `notice:${createHash("sha256").update(`${name}\n${message}`).digest("base64url")}`

/** The e-mail about a run of a workflow that has failed. */
const mailOf = (
  { program }: ProgramMemory,
  { message, name, stack }: RunEvents.RunFailure,
  { annotations = {} }: EndedRun,
  publicUrl: string,
  at: string
): OutgoingMail => ({
  email: {
    subject: `The workflow ${program.name} failed: ${name}`.slice(0, 200),
    text: [
      `The workflow ${program.name} (${program.id}) failed at ${at}, at its step ${annotations["step"] ?? ""}:`,
      (stack ?? `${name}: ${message}`).slice(0, mostTold),
      `Its run is ${annotations["run_id"] ?? ""}: ${publicUrl}/console`,
      "You are told of each error of a workflow once a day."
    ].join("\n\n")
  }
})

const services = Effect.all({ config: EngineConfig, marks: DedupeMarks, server: MailServer })

/**
 * Tells the owner of an account by e-mail that a run of a workflow has failed, each error of a workflow once a day (UTC).
 * The e-mail is in the commit of the run, and so is the mark that it was told. Nobody is told where no SMTP server is set.
 */
export class FailureNotices {
  private readonly services: Effect.Success<typeof services>

  private constructor(given: Effect.Success<typeof services>) {
    this.services = given
  }

  static readonly make = Effect.map(services, (services) => new FailureNotices(services))

  /** Adds the e-mails about runs, which are of one program and in their order, to what they leave in the log. */
  add(
    memory: ProgramMemory,
    runs: ReadonlyArray<EndedRun>,
    made: ReadonlyArray<RunEvents.RunEvents>
  ): Effect.Effect<ReadonlyArray<RunEvents.RunEvents>> {
    const failures = runs.flatMap(({ failure }) => failure === undefined ? [] : [markOf(failure)])
    if (failures.length === 0 || this.services.server === undefined) return Effect.succeed(made)
    return Effect.gen({ self: this }, function*() {
      const { config: { publicUrl }, marks } = this.services
      const now = yield* DateTime.now
      const day = DateTime.formatIsoDateUtc(now)
      // A commit that ends while the database answers is in one of the two.
      const before = new Map(memory.marks)
      const stored = yield* untilAnswered(marks.known(memory.program.id, failures))
      const known = new Map([...stored.map(({ mark, value }) => [mark, value] as const), ...before, ...memory.marks])
      return made.map((one, index) => {
        const run = runs[index]!
        if (run.failure === undefined) return one
        const mark = markOf(run.failure)
        if (known.get(mark) === day) return one
        known.set(mark, day)
        memory.marks.set(mark, day)
        const event: NewEvent = {
          stream: Stream.sends,
          emitId: EmitId.make(),
          hops: run.origin.input.hops + 1,
          meta: {},
          cause: run.origin.input.cause,
          payload: JSON.stringify(mailOf(memory, run.failure, run, publicUrl, DateTime.formatIso(now)))
        }
        const seenAt = DateTime.toEpochMillis(now)
        return {
          ...one,
          events: [...one.events, event],
          marks: [...one.marks, { emitterId: memory.program.id, mark, value: day, seenAt }]
        }
      })
    })
  }
}
