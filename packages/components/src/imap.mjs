import PostalMime from "postal-mime"
import { ImapConnection } from "./ImapConnection.mjs"
import { maxOutputBytes, Output } from "./NewItems.mjs"

/** So many messages are fetched in a run, for so long; the next one goes on. */
const maxMessages = 500
const maxMillis = 120_000

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const dayMillis = 24 * 3_600_000

/** A day as searches have it. */
const dayOf = (time) => {
  const date = new Date(time)
  return `${date.getUTCDate()}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()}`
}

/** Unix milliseconds of a time such as ` 1-Nov-2026 09:55:08 +0100`. */
const timeOf = (internalDate) => Date.parse(internalDate?.trim().replace(/^(\d+)-(\w+)-/, "$1 $2 ")) || 0

export default {
  key: "headwater-imap",
  name: "Mail (IMAP)",
  version: "1.0.0",
  type: "source",
  description: "Checks a mailbox folder regularly, and emits an event for each new message. The mailbox is only read.",
  dedupe: "unique",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often to check the folder.",
      default: { intervalSeconds: 300 }
    },
    db: "$.service.db",
    host: {
      type: "string",
      label: "Server",
      description: "Name of the IMAP server, such as imap.example.com."
    },
    port: {
      type: "integer",
      label: "Port",
      description: "By default 993 with TLS, else 143.",
      optional: true,
      min: 1,
      max: 65_535
    },
    security: {
      type: "string",
      label: "Security",
      description: "How the connection is encrypted.",
      options: [
        { label: "TLS", value: "tls" },
        { label: "STARTTLS", value: "starttls" },
        { label: "Not at all", value: "none" }
      ],
      default: "tls"
    },
    ca: {
      type: "string",
      label: "Authority",
      description: "The certificate of the server's own authority, in PEM.",
      optional: true
    },
    user: {
      type: "string",
      label: "User",
      description: "Often the e-mail address."
    },
    password: {
      type: "string",
      label: "Password",
      description: "Many providers require an app password.",
      secret: true
    },
    folder: {
      type: "string",
      label: "Folder",
      description: "The folder to check, by its path on the server.",
      default: "INBOX"
    },
    criteria: {
      type: "string",
      label: "Criteria",
      description:
        "The criteria that messages must meet, as an IMAP SEARCH in ASCII, such as FROM ann@example.com UNSEEN.",
      optional: true
    },
    content: {
      type: "string",
      label: "Content",
      description: "How much of each message to emit.",
      options: [
        { label: "Headers", value: "headers" },
        { label: "Headers and text", value: "text" },
        { label: "Headers, text and attachments", value: "all" }
      ],
      default: "text"
    },
    maxBytes: {
      type: "integer",
      label: "Maximum size",
      description: "The most bytes of a message to fetch. The rest is cut off.",
      default: 1_000_000,
      min: 1_000,
      max: 2_000_000
    },
    initialMessages: {
      type: "integer",
      label: "Initial messages",
      description: "How many of the newest existing messages to emit at first.",
      default: 0,
      min: 0
    }
  },
  methods: {
    search(connection, criteria) {
      return connection.search([criteria, this.criteria].filter(Boolean).join(" "))
    },
    /**
     * What is there to emit: the UIDs to look at, and the last one that is there. Where the server has given other UIDs,
     * all it can go by is when messages were received: those from before `since` are known.
     */
    async look(connection, known) {
      const { uidNext, uidValidity } = await connection.examine(this.folder)
      const last = uidNext === undefined ? (await connection.search("ALL")).at(-1) ?? 0 : uidNext - 1
      if (known === undefined) {
        const isAny = this.initialMessages > 0
        // Criteria that the server does not take are refused at once.
        const uids = await this.search(connection, isAny ? "ALL" : `UID ${last + 1}:*`)
        const first = isAny ? uids.slice(-this.initialMessages) : []
        return { uidValidity, last, since: 0, receivedAt: Date.now(), uids: first }
      }
      const { receivedAt, since } = known
      if (known.uidValidity === uidValidity) {
        // A range that ends with * has the last message in it, whatever it begins with.
        const uids = await this.search(connection, `UID ${known.uid + 1}:*`)
        return { uidValidity, last, since, receivedAt, uids: uids.filter((uid) => uid > known.uid) }
      }
      console.warn(
        `The messages of ${this.folder} have other UIDs: those not emitted yet are looked for by their time.`
      )
      const uids = await this.search(connection, `SINCE ${dayOf(receivedAt - dayMillis)}`)
      return { uidValidity, last, since: receivedAt, receivedAt, uids }
    },
    async contentOf(raw) {
      const mail = await PostalMime.parse(raw, { attachmentEncoding: "base64" })
      const headers = {
        message_id: mail.messageId,
        in_reply_to: mail.inReplyTo,
        references: mail.references,
        date: mail.date,
        from: mail.from,
        reply_to: mail.replyTo,
        to: mail.to,
        cc: mail.cc,
        subject: mail.subject,
        headers: mail.headers.map(({ originalKey, value }) => [originalKey, value])
      }
      if (this.content === "headers") return headers
      const attachments = mail.attachments.map(({ content, contentId, filename, mimeType }) => ({
        filename,
        mime_type: mimeType,
        content_id: contentId,
        size: Buffer.byteLength(content, "base64"),
        ...(this.content === "all" ? { content } : {})
      }))
      return { ...headers, text: mail.text, html: mail.html, attachments }
    },
    /** @param hasEndedRun whether the run before ended while the message was read */
    async eventOf(uid, message, hasEndedRun) {
      const size = Number(message["RFC822.SIZE"])
      const about = {
        uid,
        folder: this.folder,
        received_at: new Date(timeOf(message["INTERNALDATE"])).toISOString(),
        flags: message["FLAGS"],
        size
      }
      try {
        if (hasEndedRun) throw new Error("the last run ended while it was read")
        const raw = Buffer.from(message["BODY"] ?? "", "latin1")
        const truncated = raw.length >= this.maxBytes && raw.length < size
        const event = { ...about, ...await this.contentOf(raw), truncated }
        if (Buffer.byteLength(JSON.stringify(event)) > maxOutputBytes) throw new Error("it is too large for an event")
        return event
      } catch (error) {
        console.error(`Message ${uid} is emitted without what it says: ${error.message}`)
        return { ...about, truncated: true }
      }
    },
    /** Emits what is new, for as long as there is room and time. What a run has got through is kept however it ends. */
    async emitNew(connection, known, of) {
      const { last, receivedAt, since, uids, uidValidity } = await this.look(connection, known)
      const state = { of, uidValidity, since, receivedAt }
      const save = (more) => this.db.set("folder", Object.assign(state, { reading: undefined }, more))
      const wasReading = known?.uidValidity === uidValidity ? known.reading : undefined
      const body = `BODY.PEEK[${this.content === "headers" ? "HEADER" : ""}]<0.${this.maxBytes}>`
      const output = new Output()
      const end = Date.now() + maxMillis
      for (const [index, uid] of uids.entries()) {
        if (index === maxMessages || Date.now() > end) return
        const message = await connection.fetch(uid, `FLAGS INTERNALDATE RFC822.SIZE ${body}`)
        const messageAt = timeOf(message?.["INTERNALDATE"])
        if (message === undefined || messageAt < since) {
          save({ uid })
          continue
        }
        save({ uid: uid - 1, reading: uid })
        const event = await this.eventOf(uid, message, uid === wasReading)
        if (!output.takes(event)) return save({})
        this.$emit(event, {
          id: `${of} ${uidValidity} ${uid}`,
          summary: event.subject || event.message_id || `Message ${uid}`,
          ts: messageAt
        })
        save({ uid, receivedAt: Math.max(state.receivedAt, messageAt) })
      }
      save({ uid: Math.max(last, ...uids.slice(-1)), since: 0 })
    },
    async poll() {
      const of = [this.host, this.user, this.folder].join(" ")
      const saved = this.db.get("folder")
      const connection = await ImapConnection.open({
        host: this.host,
        port: this.port ?? (this.security === "tls" ? 993 : 143),
        security: this.security,
        options: { ca: this.ca || undefined }
      })
      try {
        await connection.login(this.user, this.password)
        await this.emitNew(connection, saved?.of === of ? saved : undefined, of)
      } finally {
        connection.close()
      }
    }
  },
  hooks: {
    async deploy() {
      await this.poll()
    }
  },
  async run() {
    await this.poll()
  },
  sampleEmit: {
    uid: 17,
    folder: "INBOX",
    message_id: "<17@example.com>",
    date: "2026-11-21T09:55:08.000Z",
    received_at: "2026-11-21T09:55:09.000Z",
    from: { name: "Ann", address: "ann@example.com" },
    to: [{ name: "Ben", address: "ben@example.com" }],
    subject: "The river is rising",
    headers: [["Subject", "The river is rising"]],
    flags: [],
    size: 1234,
    text: "By two inches since the morning.\n",
    attachments: [],
    truncated: false
  }
}
