import type { FilesOfEvent } from "@headwater/engine/EventFiles"
import { Effect, Schema, Stream } from "effect"
import { type ParsedMail, simpleParser } from "mailparser"

/** The addresses of an SMTP transaction. */
export interface Envelope {
  readonly from: string
  readonly to: string
  /** The part of the local part behind a `+`. */
  readonly tag: string | null
}

/** The message can't be taken apart. */
export class MailUnreadable extends Schema.TaggedError<MailUnreadable>()("MailUnreadable", {
  message: Schema.String
}) {}

/** The text of a message that is HTML alone is made of no more than this, in characters: that takes the time of everybody. */
const mostHtmlToText = 64 * 1024

/** The event of a message: its headers by name, its text, and its attachments with what they hold. */
const eventOf = (
  { attachments, headers, html, text }: ParsedMail,
  envelope: Envelope,
  urls: ReadonlyArray<string | null>
) => ({
  body: { text: text ?? "", html: html === false ? "" : html ?? "" },
  headers: Object.fromEntries(headers),
  attachments: attachments.map(({ cid, content, contentType, filename, size }, nth) => ({
    filename: filename ?? "",
    contentType,
    size,
    content: content.toString("base64"),
    contentTruncated: false,
    contentUrl: urls[nth] ?? null,
    ...(cid === undefined ? {} : { contentId: cid })
  })),
  envelope
})

/** JSON of the event of a message, whose attachments are kept as files too. */
export const parse = Effect.fnUntraced(function*(message: Buffer, envelope: Envelope, keep: FilesOfEvent["keep"]) {
  const parsed = yield* Effect.tryPromise({
    // The event has what the message itself says: no HTML made of its text, and no image within its HTML.
    try: () =>
      simpleParser(message, {
        maxHtmlLengthToParse: mostHtmlToText,
        skipTextToHtml: true,
        skipTextLinks: true,
        keepCidLinks: true,
        skipImageLinks: true
      }),
    catch: (error) => new MailUnreadable({ message: String(error) })
  })
  const urls = yield* Effect.forEach(
    parsed.attachments,
    ({ content, contentType, filename = "" }) => keep({ name: filename, contentType }, Stream.make(content))
  )
  return JSON.stringify(eventOf(parsed, envelope, urls))
})
