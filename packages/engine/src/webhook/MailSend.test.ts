import { assert, it } from "@effect/vitest"
import { Accounts } from "@headwater/log/access/Accounts"
import { Effect } from "effect"
import { MailServer } from "../ground/MailServer.ts"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import * as MailSend from "./MailSend.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

const memory = { webhook: { accountId: "acc_1", id: "whk_1" } } as unknown as WebhookMemory
const attempt = { deliveryId: "d", subscriptionId: "s", attempt: 1, event: { emitId: "e", hops: 1 } } as AttemptRequest
const mail = { email: { subject: "one" } }

it.effect("a message fails where the server itself does", () =>
  Effect.gen(function*() {
    const send = yield* MailSend.make
    const { outcome, record } = yield* Effect.callback<AttemptResult>((resume) => {
      send(memory, attempt, mail, (result) => resume(Effect.succeed(result)))
    })
    assert.strictEqual(outcome._tag, "Failed")
    assert.strictEqual(record.errorClass, "internal")
  }).pipe(
    Effect.provideService(Accounts, { get: () => Effect.die("broken") } as unknown as Accounts["Service"]),
    Effect.provideService(
      MailServer,
      { send: () => Effect.die("not reached") } as NonNullable<typeof MailServer.Service>
    )
  ))

it.effect("a message without an SMTP server fails after the attempt has returned, unless it is cancelled", () =>
  Effect.gen(function*() {
    const send = yield* MailSend.make
    const seen: Array<string> = []
    send(memory, attempt, mail, ({ record }) => seen.push(record.errorClass!))
    send(memory, attempt, mail, () => seen.push("cancelled")).cancel()
    seen.push("returned")
    yield* Effect.promise(() => Promise.resolve())
    assert.deepStrictEqual(seen, ["returned", "no_mail_server"])
  }).pipe(Effect.provideService(Accounts, {} as Accounts["Service"])))
