import * as RealTime from "@headwater/domain/RealTime"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { createTransport, type NodemailerError } from "nodemailer"

/** A message to one address. */
export interface MailMessage {
  readonly to: string
  readonly subject: string
  readonly text?: string | undefined
  readonly html?: string | undefined
  /** The same in each try, so that a receiver can tell that a message came twice. */
  readonly id: string
  /** The number of emitters that what it tells of has passed through, so that loops end. */
  readonly hops: number
}

/** The message was not taken. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  reason: Schema.Literals(["no_mail_server", "dns", "connect", "tls", "timeout", "status", "internal"]),
  /** True if the server has refused the message for good. */
  isFinal: Schema.Boolean,
  /** The server's reply code. */
  status: Schema.NullOr(Schema.Int),
  message: Schema.String
}) {}

/** The server's reply to a message that it has taken. */
export interface MailTaken {
  readonly status: number
  readonly reply: string
}

const reasons: Readonly<Record<string, MailFailed["reason"]>> = {
  EDNS: "dns",
  ECONNECTION: "connect",
  ESOCKET: "connect",
  ETLS: "tls",
  ETIMEDOUT: "timeout"
}

/** Codes of what is wrong with this message or its address alone: others may be mended, such as a wrong password. */
const ofMessage: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"])

const failureOf = (error: NodemailerError): MailFailed => {
  const { code = "", message, responseCode } = error
  return new MailFailed({
    reason: responseCode === undefined ? reasons[code] ?? "connect" : "status",
    isFinal: responseCode === undefined ? code === "EENVELOPE" : responseCode >= 500 && ofMessage.has(code),
    status: responseCode ?? null,
    message
  })
}

/** Connections that are open at a time. */
const mostConnections = 4

const connectMs = 10_000

/** Less than a message may take. */
const silenceMs = 20_000

/** A message may take as long as the slowest request of a delivery, with the wait for one of the connections. */
const patience = "30 seconds"

const tooSlow = new MailFailed({
  reason: "timeout",
  isFinal: false,
  status: null,
  message: `the SMTP server has not taken the message within ${patience}`
})

/** The SMTP server that the operator has set for what this server sends; undefined without one. */
export const MailServer = Context.Reference<
  { readonly send: (message: MailMessage) => Effect.Effect<MailTaken, MailFailed> } | undefined
>("@headwater/engine/ground/MailServer", { defaultValue: () => undefined })

/**
 * @param options.url `smtp://` or `smtps://`, with user and password if the server asks for them
 * @param options.from the sender of all messages
 */
export const layer = (options: { readonly url: Redacted.Redacted; readonly from: string }) =>
  Layer.effect(
    MailServer,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() =>
          createTransport({
            url: Redacted.value(options.url),
            pool: true,
            maxConnections: mostConnections,
            connectionTimeout: connectMs,
            greetingTimeout: connectMs,
            socketTimeout: silenceMs,
            // A message is text alone: nothing in it is read from a file or a URL.
            disableFileAccess: true,
            disableUrlAccess: true
          })
        ),
        (transport) => Effect.sync(() => transport.close())
      ),
      (transport) => ({
        send: ({ hops, html, id, subject, text, to }) =>
          Effect.map(
            Effect.tryPromise({
              try: (signal) =>
                transport.sendMail({
                  signal,
                  from: options.from,
                  to: { name: "", address: to },
                  subject,
                  text,
                  html,
                  messageId: `<${id}@headwater>`,
                  headers: { "Auto-Submitted": "auto-generated", "X-Headwater-Hops": String(hops) }
                }),
              catch: (error) => failureOf(error as NodemailerError)
            }).pipe(
              Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tooSlow) }),
              RealTime.on
            ),
            ({ response }): MailTaken => ({ status: Number(response.slice(0, 3)) || 250, reply: response })
          )
      })
    )
  )
