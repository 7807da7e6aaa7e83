import { createHash } from "node:crypto"
import { get, getOk, shown } from "./Web.mjs"

const hashOf = (content) => createHash("sha256").update(content).digest("hex")

const isSuccess = (status) => status >= 200 && status < 300

export default {
  key: "headwater-url-watch",
  name: "URL watch",
  version: "1.0.0",
  type: "source",
  description: "Checks a URL regularly, and emits an event when its content, or a part of it, changes.",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often to check the URL.",
      default: { intervalSeconds: 900 }
    },
    db: "$.service.db",
    url: {
      type: "string",
      label: "URL",
      description: "The URL to check, with GET."
    },
    headers: {
      type: "object",
      label: "Headers",
      description: "Headers of each request, such as Authorization.",
      optional: true,
      secret: true
    },
    pattern: {
      type: "string",
      label: "Pattern",
      description:
        "A JavaScript regular expression: only what its first group matches is watched, or all that it matches " +
        "where it has no group. As in Price: ([\\d.]+).",
      optional: true
    },
    watchStatus: {
      type: "boolean",
      label: "Watch the status",
      description: "Treat a response with another status as a change too, not as an error.",
      default: false
    },
    includeContent: {
      type: "boolean",
      label: "Include the content",
      description: "Include the current and the previous content in the event.",
      default: false
    },
    maxLength: {
      type: "integer",
      label: "Longest content",
      description: "The most characters of the content to emit.",
      default: 10_000,
      min: 0,
      max: 100_000
    }
  },
  methods: {
    /** The part of an answer that is watched; null where there is none. */
    partOf({ text }) {
      const match = new RegExp(this.pattern).exec(text)
      return match === null ? null : match[1] ?? match[0]
    },
    /** What is there; undefined where it is still what the validators are of. */
    async look(validators) {
      const answer = await (this.watchStatus ? get : getOk)(this.url, { headers: this.headers, validators })
      if (answer.status === 304) return undefined
      // What an error says differs each time.
      if (!isSuccess(answer.status)) return { status: answer.status, hash: null, content: null }
      const content = this.pattern ? this.partOf(answer) : answer.text
      const watched = this.pattern ? content : answer.bytes
      return {
        status: answer.status,
        hash: watched === null ? null : hashOf(watched),
        content: this.includeContent ? content?.slice(0, this.maxLength).toWellFormed() ?? null : null,
        validators: answer.validators
      }
    },
    /** Emits what has changed since the last time; the first time there is nothing to compare with. */
    async poll(timestamp) {
      const of = JSON.stringify([this.url, this.pattern])
      const before = this.db.get("page")
      const isFirst = before?.of !== of
      const now = await this.look(isFirst ? undefined : before.validators)
      if (now === undefined) return
      if (isFirst && this.pattern && isSuccess(now.status) && now.hash === null) {
        throw new Error(`The pattern matches nothing at ${shown(this.url)}`)
      }
      const hasChanged = !isFirst && (now.hash !== before.hash || (this.watchStatus && now.status !== before.status))
      if (hasChanged) {
        this.$emit({
          url: this.url,
          status: now.status,
          previous_status: before.status,
          hash: now.hash,
          previous_hash: before.hash,
          ...(this.includeContent ? { content: now.content, previous_content: before.content } : {})
        }, { id: timestamp, summary: `${shown(this.url)} has changed`, ts: timestamp * 1000 })
      }
      this.db.set("page", { of, ...now })
    }
  },
  hooks: {
    async deploy() {
      await this.poll()
    }
  },
  async run({ timestamp }) {
    await this.poll(timestamp)
  },
  sampleEmit: {
    url: "https://example.com/terms",
    status: 200,
    previous_status: 200,
    hash: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
    previous_hash: "e258d248fda94c63753607f7c4494ee0fcbe92f1a76bfdac795c9d84101eb317"
  }
}
