import { EventFiles } from "@headwater/engine/EventFiles"
import { type Endpoint, type HttpReply, Ingest, type RequestError } from "@headwater/engine/Ingest"
import { Context, Effect, Layer } from "effect"
import type { Socket } from "node:net"
import type { Readable } from "node:stream"
import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from "smtp-server"
import { BodyRoom } from "../http/conventions/BodyRoom.ts"
import { RateLimiting } from "../http/conventions/RateLimiting.ts"
import * as MailEvent from "./MailEvent.ts"

/** The operator's settings for the e-mail that comes in. */
export interface MailSettings {
  readonly host: string
  readonly port: number
  /** The domain of the addresses that it takes e-mail for. */
  readonly domain: string
  /** Bytes of a message. */
  readonly maxBytes: number
  readonly maxConnections: number
  /** For `STARTTLS`; undefined to do without. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** True if the machine's workers share the port. */
  readonly reusePort: boolean
}

/** A connection that says nothing for so long is closed, and any that has been open for so long. */
const silenceMs = 60_000
const longestConnection = "10 minutes"

/** The time that connections may still take when the server is told to stop, in milliseconds. */
const closeMs = 5_000

/** A reply that refuses a command (RFC 5321, 4.2.3; RFC 3463). */
const reply = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

const unknownMailbox = reply(550, "5.1.1 There is no such mailbox here")
const oneRecipient = reply(452, "4.5.3 One recipient at a time")
const tooLarge = reply(552, "5.3.4 The message is too large")
const unreadable = reply(554, "5.6.0 The message can't be read")
const later = reply(451, "4.3.0 Try again later")
const full = reply(452, "4.2.2 The mailbox is full for now")

type Refusal = ReturnType<typeof reply>

/** The mailbox of a session's message, which has one recipient: so what is answered holds for all of the message. */
interface Mailbox {
  readonly endpoint: Endpoint
  readonly tag: string | null
  readonly address: string
}

/** A message may be so much larger than its sender has declared, in bytes: some count otherwise. */
const undeclaredBytes = 16 * 1024

/** The event of a message as JSON may be so many times as large as the message may. */
const largestJson = 2

/** The most bytes that a message may have, by what its sender has declared (RFC 1870). */
const mostBytesOf = ({ mailFrom }: SMTPServerSession["envelope"], maxBytes: number): number => {
  const declared = mailFrom === false || mailFrom.args === false
    ? Number.NaN
    : Number(Reflect.get(mailFrom.args, "SIZE"))
  return declared > 0 ? Math.min(declared + undeclaredBytes, maxBytes) : maxBytes
}

/** Reads a message. The rest of one that is too large is read and dropped. */
const read = (stream: Readable, mostBytes: number): Effect.Effect<Buffer, Refusal> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= mostBytes) chunks.push(chunk)
    })
    stream.on("end", () => resume(length > mostBytes ? Effect.fail(tooLarge) : Effect.succeed(Buffer.concat(chunks))))
    stream.on("error", () => {})
    // The sender has gone: nobody is answered.
    stream.on("close", () => resume(Effect.fail(later)))
  })

/** The number of emitters that a message has passed through, by its own header. */
const hopsIn = (message: Buffer): number => {
  const end = message.indexOf("\r\n\r\n")
  const headers = message.subarray(0, end === -1 ? message.length : end).toString("latin1")
  const [, hops] = /^x-headwater-hops: *(\d{1,6})\r?$/im.exec(headers) ?? []
  return hops === undefined ? 0 : Number(hops)
}

const refusalOf = ({ _tag }: RequestError): Refusal => {
  if (_tag === "EndpointNotFound") return unknownMailbox
  return _tag === "BacklogFull" ? full : later
}

/** The port on which the listener listens, for those who chose none. */
export class MailListener extends Context.Service<MailListener, { readonly port: number }>()(
  "@headwater/server/mail/MailListener"
) {
  /** Takes e-mail for sources and workflows: a message is answered with 250 once its event is durable, and refused otherwise. */
  static readonly layer = (settings: MailSettings) =>
    Layer.effect(
      MailListener,
      Effect.gen(function*() {
        const files = yield* EventFiles
        const ingest = yield* Ingest
        const rate = yield* RateLimiting
        const room = yield* BodyRoom
        const context = yield* Effect.context<never>()
        const runFork = Effect.runForkWith(context)
        const mailboxes = new WeakMap<SMTPServerSession["envelope"], Mailbox>()

        /** Answers a command with what an effect comes to. */
        const answer = (work: Effect.Effect<void, Refusal>, done: (error?: Error | null) => void) => {
          runFork(Effect.catchDefect(work, (defect) =>
            Effect.andThen(Effect.logError("A message could not be taken", defect), Effect.fail(later)))).addObserver(
              (exit) => {
                if (exit._tag === "Success") {
                  return done()
                }
                const failure = exit.cause.reasons.find((reason) =>
                  reason._tag === "Fail"
                )
                done(failure?.error ?? later)
              }
            )
        }

        const find = Effect.fnUntraced(function*({ address }: SMTPServerAddress, { envelope }: SMTPServerSession) {
          const at = address.lastIndexOf("@")
          const local = address.slice(0, at)
          if (address.slice(at + 1).toLowerCase() !== settings.domain.toLowerCase()) {
            return yield* Effect.fail(unknownMailbox)
          }
          if (envelope.rcptTo.length > 0) return yield* Effect.fail(oneRecipient)
          const plus = local.indexOf("+")
          const [name, tag] = plus === -1 ? [local, null] : [local.slice(0, plus), local.slice(plus + 1)]
          const endpoint = yield* Effect.catchTags(ingest.findMailbox(name), {
            EndpointNotFound: () => Effect.fail(unknownMailbox),
            Unavailable: () => Effect.fail(later)
          })
          yield* Effect.mapError(rate.take(endpoint.accountId), () => later)
          yield* Effect.catchTags(ingest.admit(endpoint), {
            BacklogFull: () => Effect.fail(full),
            QuotaExceeded: () => Effect.fail(full),
            Unavailable: () => Effect.fail(later)
          })
          mailboxes.set(envelope, { endpoint, tag, address })
        })

        /** Takes a message, with room for it from before it is read until its event is durable. */
        const take = Effect.fnUntraced(function*(stream: Readable, { envelope }: SMTPServerSession) {
          const mailbox = mailboxes.get(envelope)
          if (mailbox === undefined) return yield* Effect.fail(unknownMailbox)
          const { address: to, endpoint, tag } = mailbox
          const mostBytes = mostBytesOf(envelope, settings.maxBytes)
          yield* Effect.mapError(room.hold(endpoint.accountId, mostBytes), () => later)
          const message = yield* read(stream, mostBytes)
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
          const kept = files.begin(endpoint)
          const eventJson = yield* Effect.mapError(
            MailEvent.parse(message, { from, to, tag }, kept.keep),
            () => unreadable
          )
          if (Buffer.byteLength(eventJson) > largestJson * settings.maxBytes) {
            yield* kept.drop
            return yield* Effect.fail(tooLarge)
          }
          rate.noteBytes(endpoint.accountId, message.length)
          const request = { eventJson, hops: hopsIn(message), kind: "email" as const }
          yield* Effect.callback<HttpReply, RequestError>((resume) => ingest.take(endpoint, request, resume)).pipe(
            // Without an answer of the log the message may be in it.
            Effect.tapError(({ _tag }) => _tag === "Unavailable" ? Effect.void : kept.drop),
            Effect.mapError(refusalOf)
          )
        }, Effect.scoped)

        const server = new SMTPServer({
          ...settings.tls,
          name: settings.domain,
          banner: "Headwater",
          disabledCommands: settings.tls === undefined ? ["AUTH", "STARTTLS"] : ["AUTH"],
          authOptional: true,
          disableReverseLookup: true,
          logger: false,
          size: settings.maxBytes,
          maxClients: settings.maxConnections,
          socketTimeout: silenceMs,
          closeTimeout: closeMs,
          onRcptTo: (address, session, done) => answer(find(address, session), done),
          onData: (stream, session, done) => answer(take(stream, session), done)
        })
        server.server.on("connection", (socket: Socket) => {
          const end = runFork(Effect.delay(Effect.sync(() => socket.destroy()), longestConnection))
          socket.once("close", () => end.interruptUnsafe())
        })
        server.on(
          "error",
          (error: Error) => runFork(Effect.logDebug("A connection of the mail listener failed", error))
        )
        const { host, port, reusePort } = settings
        yield* Effect.acquireRelease(
          Effect.callback<void, Error>((resume) => {
            server.server.once("error", (error) => resume(Effect.fail(error)))
            server.server.listen({ host, port, reusePort }, () => resume(Effect.void))
          }),
          () => Effect.callback<void>((closed) => server.close(() => closed(Effect.void)))
        )
        const address = server.server.address()
        const heard = typeof address === "object" && address !== null ? address.port : port
        yield* Effect.logInfo(`Taking e-mail at ${host}:${heard} for addresses at ${settings.domain}`)
        return { port: heard }
      })
    )
}
