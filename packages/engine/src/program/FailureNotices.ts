import * as EmitId from "@headwater/domain/EmitId"
import type { NewEvent } from "@headwater/domain/Event"
import * as Stream from "@headwater/domain/Stream"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { DateTime, Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { MailServer } from "../ground/MailServer.ts"
import type { OutgoingMail } from "../webhook/OutgoingMail.ts"
import type { EndedRun } from "./CodeRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import * as RunEvents from "./RunEvents.ts"

/** Characters of an error that an e-mail tells. */
const mostTold = 10_000

/** E-mails about the errors of a workflow in a day. */
const mostOfDay = 20

/** The one mark of a workflow: the errors that were told of on a day, by their hashes. */
const mark = "notices"

const Told = Schema.Struct({ day: Schema.String, hashes: Schema.Array(Schema.String) })
type Told = typeof Told.Type

const decodeTold = Schema.decodeUnknownOption(Schema.fromJsonString(Told))

const hashOf = ({ message, name }: RunEvents.RunFailure): string =>
  createHash("sha256").update(`${name}\n${message}`).digest("base64url")

/** The e-mail about a run of a workflow that has failed. */
const mailOf = (
  { program }: ProgramMemory,
  { message, name, stack }: RunEvents.RunFailure,
  { annotations = {} }: EndedRun,
  publicUrl: string,
  at: string,
  isLast: boolean
): OutgoingMail => ({
  email: {
    subject: `The workflow ${program.name} failed: ${name}`.slice(0, 200),
    text: [
      `The workflow ${program.name} (${program.id}) failed at ${at}, at its step ${annotations["step"] ?? ""}:`,
      (stack ?? `${name}: ${message}`).slice(0, mostTold),
      `Its run is ${annotations["run_id"] ?? ""}: ${publicUrl}/console`,
      "You are told of each error of a workflow once a day." +
      (isLast ? ` This is the last of ${mostOfDay} e-mails about it today.` : "")
    ].join("\n\n")
  }
})

const services = Effect.all({ config: EngineConfig, marks: DedupeMarks, server: MailServer })

/**
 * Tells the owner of an account by e-mail that a run of a workflow has failed, each error of a workflow once a day (UTC), and no
 * more than so many: an error may have another message each time.
 *
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
    const hasFailed = runs.some(({ failure }) => failure !== undefined)
    if (!hasFailed || this.services.server === undefined) return Effect.succeed(made)
    return Effect.gen({ self: this }, function*() {
      const { config: { publicUrl } } = this.services
      const now = yield* DateTime.now
      const day = DateTime.formatIsoDateUtc(now)
      const before = yield* this.told(memory)
      let told: Told = before?.day === day ? before : { day, hashes: [] }
      return made.map((one, index) => {
        const run = runs[index]!
        if (run.failure === undefined) return one
        const hash = hashOf(run.failure)
        if (told.hashes.length >= mostOfDay || told.hashes.includes(hash)) return one
        told = { day, hashes: [...told.hashes, hash] }
        const value = JSON.stringify(told)
        memory.marks.set(mark, value)
        const isLast = told.hashes.length === mostOfDay
        const event: NewEvent = {
          stream: Stream.sends,
          emitId: EmitId.make(),
          hops: run.origin.input.hops + 1,
          meta: RunEvents.metaOf(run.origin),
          cause: run.origin.input.cause,
          payload: JSON.stringify(mailOf(memory, run.failure, run, publicUrl, DateTime.formatIso(now), isLast))
        }
        const seenAt = DateTime.toEpochMillis(now)
        return {
          ...one,
          events: [...one.events, event],
          marks: [...one.marks, { emitterId: memory.program.id, mark, value, seenAt }]
        }
      })
    })
  }

  /** The last notices, also those of commits that have not ended. */
  private told(memory: ProgramMemory): Effect.Effect<Told | undefined> {
    return Effect.suspend(() => {
      // A commit that ends while the database answers is in one of the two.
      const before = memory.marks.get(mark)
      return Effect.map(untilAnswered(this.services.marks.known(memory.program.id, [mark])), ([stored]) => {
        const value = memory.marks.get(mark) ?? before ?? stored?.value
        return value === undefined ? undefined : Option.getOrUndefined(decodeTold(value))
      })
    })
  }
}
