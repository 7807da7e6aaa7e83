/** The code that the server runs while it is crashed, and what it says about itself for the harness to check. */

/**
 * Counts its requests and emits two events for each, a console line, and, as the request asks, an event for later or a
 * throw between the two. What it wrote is whole only if the counts follow on.
 */
export const intake = `
export default {
  name: "Intake",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    console.log(body.key)
    this.$emit({ key: body.key, count, part: 0 })
    if (body.later) {
      this.$emit({ key: body.key, count }, { name: "later", delivery_ts: Date.now() + body.later })
    }
    if (body.fail) throw new Error("as asked")
    this.$emit({ key: body.key, count, part: 1 })
    this.db.set("whole", count)
  }
}`

/** Emits each id of its requests once, whatever comes, and an event for each request besides. */
export const unique = `
export default {
  name: "Unique",
  dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ key: body.key, count, part: 0 })
    this.$emit({ id: body.id, key: body.key }, { id: body.id, name: "ids" })
  }
}`

/** Answers its requests itself, after they are durable. */
export const answering = `
export default {
  name: "Answering",
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
  async run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ key: body.key, count, part: 0 })
    this.http.respond({ status: 200, headers: {}, body: { key: body.key } })
  }
}`

/**
 * Listens: its sum is right only if each event changed it exactly once, in the order of the log. With a data store it says
 * what it added to.
 */
export const ledger = `
export default {
  name: "Ledger",
  props: { db: "$.service.db", counts: { type: "data_store", optional: true } },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1
    const sum = (this.db.get("sum") ?? 0) + (event.count ?? 1)
    this.db.set("count", count)
    this.db.set("sum", sum)
    await this.counts?.increment("all")
    this.$emit({ of: event, count, sum, ...(this.counts === undefined ? {} : { added: "all" }) })
  }
}`

/** As `ledger`, over lists of events. */
export const lister = `
export default {
  name: "Lister",
  batch: { maxEvents: 4, maxWaitMs: 300 },
  props: { db: "$.service.db" },
  async run(events) {
    const count = (this.db.get("count") ?? 0) + 1
    const sum = events.reduce((sum, event) => sum + event.count, this.db.get("sum") ?? 0)
    this.db.set("count", count)
    this.db.set("sum", sum)
    this.$emit({ of: events, count, sum })
  }
}`

/** A workflow of one step that does as `lister`, and waits for long enough that its wait is due work. */
export const listerWorkflow = `
export default {
  name: "Lister workflow",
  batch: { maxEvents: 4, maxWaitMs: 1500 },
  props: { db: "$.service.db" },
  async run({ steps, $ }) {
    const events = steps.trigger.event
    const count = (this.db.get("count") ?? 0) + 1
    const sum = events.reduce((sum, event) => sum + event.count, this.db.get("sum") ?? 0)
    this.db.set("count", count)
    this.db.set("sum", sum)
    $.emit({ of: events, count, sum })
  }
}`

/**
 * A workflow that listens: counts what it hears, waits with some of it, for its time or to be resumed, and tells of it
 * then. Right only if each step of each run happened exactly once.
 */
export const stepped = `
export default {
  name: "Stepped",
  props: { db: "$.service.db", counts: "data_store" },
  steps: {
    count: {
      async run({ steps, $ }) {
        const count = (this.db.get("count") ?? 0) + 1
        this.db.set("count", count)
        await this.counts.increment("all")
        if (count % 5 === 0) $.flow.delay(500)
        if (count % 14 === 3) $.flow.suspend(500)
        const { resume_url } = count % 14 === 10 ? $.flow.suspend(30_000) : {}
        $.emit({ of: steps.trigger.event, count, added: "all", resume_url }, { name: "begun" })
        return count
      }
    },
    tell: {
      async run({ steps, $ }) {
        await this.counts.increment("all")
        const { event } = steps.trigger
        $.emit({ of: event, count: steps.count.$return_value, added: "all", resumed: $.context.resume?.body })
      }
    }
  }
}`

/** What is written by `filed`: of several parts in the database, or of one. */
const textOf = (count: number, step: string): string =>
  `${step} of ${count}\n`.repeat(count % 8 === 5 ? 1_000 * (count % 40) : 1 + count % 100)

/** What `filed` leaves in the account's file store. */
export const storedOf = (count: number): string => textOf(count, "stored")

/** The steps of `filed` in branches that run at once, as they tell of themselves. */
export const sides = ["left", "left's second", "right"] as const

/** What the last step of `filed` has to find in `/tmp`. */
export const temporaryOf = (count: number): Readonly<Record<string, string>> => ({
  "directory/change": textOf(count, "change"),
  "directory/left": textOf(count, "left"),
  right: textOf(count, "right"),
  text: textOf(count, "write") + textOf(count, "change")
})

/**
 * A workflow that listens: each step goes on with the files that the one before left, some after a wait, some after they
 * have changed files and thrown, and some at the same time as others. It keeps a file of the account's too, or removes one.
 */
export const filed = `
import { createHash } from "node:crypto"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Readable } from "node:stream"

const textOf = ${textOf}

const hashOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex")

export default {
  name: "Filed",
  props: { db: "$.service.db" },
  steps: {
    write: {
      run({ steps, $ }) {
        const count = (this.db.get("count") ?? 0) + 1
        this.db.set("count", count)
        writeFileSync("/tmp/text", textOf(count, "write"))
        writeFileSync("/tmp/passing", "passing")
        if (count % 7 === 1) $.flow.delay(500)
        $.emit({ of: steps.trigger.event, count }, { name: "begun" })
        return count
      }
    },
    change: {
      async run({ steps, $ }) {
        const count = steps.write.$return_value
        appendFileSync("/tmp/text", textOf(count, "change"))
        rmSync("/tmp/passing")
        mkdirSync("/tmp/directory")
        writeFileSync("/tmp/directory/change", textOf(count, "change"))
        if (count % 6 === 2 && $.context.run.runs === 1) throw new Error("as asked")
        if (count % 3 === 0) $.flow.delay(300)
        const file = $.files.open("crash/" + count % 5)
        if (count % 9 === 4) await file.delete()
        else await file.fromReadableStream(Readable.from([textOf(count, "stored")]))
      }
    },
    sides: {
      parallel: {
        left: {
          leave: {
            run({ steps, $ }) {
              const count = steps.write.$return_value
              writeFileSync("/tmp/directory/left", textOf(count, "left"))
              if (count % 4 === 1) $.flow.delay(400)
              if (count % 11 === 6) $.flow.suspend(600)
              $.emit({ count, side: "left" }, { name: "sides" })
            }
          },
          left: { run: ({ steps, $ }) => $.emit({ count: steps.write.$return_value, side: "left's second" }, { name: "sides" }) }
        },
        right: {
          right: {
            run({ steps, $ }) {
              const count = steps.write.$return_value
              writeFileSync("/tmp/right", textOf(count, "right"))
              if (count % 5 === 3 && $.context.run.runs === 1) throw new Error("as asked")
              $.emit({ count, side: "right" }, { name: "sides" })
            }
          }
        }
      }
    },
    tell: {
      run({ steps, $ }) {
        const files = readdirSync("/tmp", { recursive: true }).filter((path) => statSync("/tmp/" + path).isFile())
        $.emit({
          of: steps.trigger.event,
          count: steps.write.$return_value,
          files: Object.fromEntries(files.toSorted().map((path) => [path, hashOf("/tmp/" + path)]))
        })
      }
    }
  }
}`

/** Names the accounts over OAuth 2 of `calling`. */
export const accounts = ["north", "south", "west"] as const

/** Counts its requests, and calls an API with the token of an account for each. */
export const calling = `
export default {
  name: "Calling",
  props: {
    http: "$.interface.http",
    db: "$.service.db",
    url: "string",
    ${accounts.map((name) => `${name}: { type: "app", app: "shop" }`).join(",\n    ")}
  },
  async run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    const account = this[${JSON.stringify(accounts)}[count % ${accounts.length}]]
    const headers = { authorization: "Bearer " + account.$auth.oauth_access_token }
    // A server that is told to stop ends its requests.
    await fetch(this.url, { headers }).catch(() => {})
    this.$emit({ key: body.key, count, part: 0 })
  }
}`

/** A workflow of one step that does as `ledger`. */
export const ledgerWorkflow = `
export default {
  name: "Ledger workflow",
  props: { db: "$.service.db" },
  async run({ steps, $ }) {
    const event = steps.trigger.event
    const count = (this.db.get("count") ?? 0) + 1
    const sum = (this.db.get("sum") ?? 0) + (event.count ?? 1)
    this.db.set("count", count)
    this.db.set("sum", sum)
    $.emit({ of: event, count, sum })
  }
}`

/** Ticks every second and counts. */
export const ticking = `
export default {
  name: "Ticking",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 1 } }, db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ timestamp: event.timestamp, count })
  }
}`

/** Comes and goes, and says so. */
export const passing = `
export default {
  name: "Passing",
  props: { http: "$.interface.http", db: "$.service.db" },
  hooks: {
    async deploy() { this.$emit({ hook: "deploy" }) },
    async activate() { this.$emit({ hook: "activate" }) },
    async deactivate() { this.$emit({ hook: "deactivate" }) }
  },
  async run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ key: body.key, count })
  }
}`
