import { assert, it } from "@effect/vitest"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:net"
import * as MailServer from "./MailServer.ts"

/** By itself a connection ends after 20 seconds of silence. */
const beforeSilence = 15_000

/** A server that greets, and says nothing more. */
const silent = Effect.gen(function*() {
  const opened = yield* Deferred.make<void>()
  const closed = yield* Deferred.make<void>()
  const port = yield* Loopback.listen(createServer((socket) => {
    socket.on("error", () => {})
    socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
    socket.on("data", () => Deferred.doneUnsafe(opened, Effect.void))
    socket.write("220 mail.example.com\r\n")
  }))
  const layer = MailServer.layer({ url: Redacted.make(`smtp://127.0.0.1:${port}`), from: "a@example.com" })
  const { send } = (yield* Effect.provide(MailServer.MailServer, yield* Layer.build(layer)))!
  const sending = yield* Effect.forkChild(
    Effect.flip(send({ to: "b@example.com", subject: "one", text: "x", id: "1", hops: 1 }))
  )
  yield* Deferred.await(opened)
  return { closed, sending }
})

it.effect(
  "a message that an SMTP server does not take ends in time, and so does its connection",
  () =>
    Effect.gen(function*() {
      const { closed, sending } = yield* silent
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* Fiber.join(sending), { reason: "timeout", isFinal: false })
      yield* Deferred.await(closed)
    }),
  beforeSilence
)

it.effect("a message that is cancelled leaves no connection", () =>
  Effect.gen(function*() {
    const { closed, sending } = yield* silent
    yield* Fiber.interrupt(sending)
    yield* Deferred.await(closed)
  }), beforeSilence)
