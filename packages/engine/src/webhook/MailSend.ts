import * as RealTime from "@headwater/domain/RealTime"
import { Accounts } from "@headwater/log/access/Accounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Clock, Effect, Option, Result } from "effect"
import { MailFailed, MailServer, type MailTaken } from "../ground/MailServer.ts"
import * as AttemptRecord from "./AttemptRecord.ts"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import * as DeliveryOutcome from "./DeliveryOutcome.ts"
import type { OutgoingMail } from "./OutgoingMail.ts"
import { refuse } from "./RefusedAttempt.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

const notSet = new MailFailed({
  reason: "no_mail_server",
  isFinal: false,
  status: null,
  message: "the operator of this server has set no SMTP server to send with (HEADWATER_SMTP_URL)"
})

const internal = new MailFailed({
  reason: DeliveryOutcome.internal.errorClass,
  isFinal: false,
  status: null,
  message: DeliveryOutcome.internal.message
})

const outcomeOf = ({ isFinal, message, reason }: MailFailed): DeliveryOutcome.DeliveryOutcome => ({
  _tag: isFinal ? "Refused" : "Failed",
  errorClass: reason,
  message
})

/** Sends a message to the owner of a webhook's account. Calls back once, after it has returned, unless it is cancelled. */
export type MailSend = (
  memory: WebhookMemory,
  attempt: AttemptRequest,
  mail: OutgoingMail,
  onResult: (result: AttemptResult) => void
) => { readonly cancel: () => void }

export const make: Effect.Effect<MailSend, never, Accounts> = Effect.gen(function*() {
  const accounts = yield* Accounts
  const server = yield* MailServer
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context<never>())

  const send = Effect.fnUntraced(
    function*(
      accountId: WebhookMemory["webhook"]["accountId"],
      { emitId: id, hops }: AttemptRequest["event"],
      mail: OutgoingMail,
      server: NonNullable<typeof MailServer.Service>
    ) {
      const account = yield* untilAnswered(accounts.get(accountId))
      // An account that is gone is being erased, and the webhook with it.
      const to = Option.match(account, { onNone: () => "", onSome: ({ email }) => email })
      return yield* server.send({ ...mail.email, to, id, hops })
    }
  )

  return (memory, attempt, mail, onResult) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const beganAt = RealTime.elapsedUnsafe(clock)
    const resultOf = (sent: Result.Result<MailTaken, MailFailed>): AttemptResult => {
      const durationMs = Math.round(RealTime.elapsedUnsafe(clock) - beganAt)
      const outcome: DeliveryOutcome.DeliveryOutcome = Result.isSuccess(sent)
        ? { _tag: "Delivered" }
        : outcomeOf(sent.failure)
      const endedAt = clock.currentTimeMillisUnsafe()
      const result = AttemptRecord.make(memory, attempt, outcome, null, startedAt, endedAt, durationMs, undefined)
      const status = Result.isSuccess(sent) ? sent.success.status : sent.failure.status
      const responseBody = Result.isSuccess(sent) ? Buffer.from(sent.success.reply) : null
      return { ...result, record: { ...result.record, status, responseBody } }
    }
    if (server === undefined) return refuse(resultOf(Result.fail(notSet)), onResult)
    const sending = send(memory.webhook.accountId, attempt.event, mail, server).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("An e-mail could not be sent", defect), Effect.fail(internal))
      ),
      Effect.result
    )
    const fiber = runFork(Effect.map(sending, (sent) => onResult(resultOf(sent))))
    return { cancel: () => fiber.interruptUnsafe() }
  }
})
