import * as FeedDocument from "./FeedDocument.mjs"
import { ItemIds } from "./ItemIds.mjs"
import { bytesPerId, Output, SeenIds } from "./NewItems.mjs"
import { getOk, shown, textOf } from "./Web.mjs"

const maxFeeds = 100

/** So many at a time, for so long each: all of them may hang and the run still ends in time. */
const atOnce = 8
const timeoutSeconds = 20

const maxBytes = 8 * 1024 * 1024

const maxItems = 1_000

/** What the ids of all feeds may take of `$.service.db`. */
const bytesForIds = 700_000

/** Of what is stored of a feed. In the first, an item was noted under one id alone. */
const storeVersion = 2

/** The newest items, as many as can be remembered. */
const rememberable = (items, maxMarks) => {
  let marks = 0
  return items.slice(0, maxItems).filter((item) => (marks += ItemIds.marksOf(item)) <= maxMarks)
}

const keyOf = (url) => `feed ${url}`

export default {
  key: "headwater-feed",
  name: "RSS or Atom feeds",
  version: "1.0.0",
  type: "source",
  description: "Checks RSS, Atom and JSON feeds regularly, and emits an event for each new item.",
  dedupe: "unique",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often to check the feeds.",
      default: { intervalSeconds: 900 }
    },
    db: "$.service.db",
    urls: {
      type: "string[]",
      label: "Feeds",
      description: `URLs of the feeds, at most ${maxFeeds}.`
    },
    initialItems: {
      type: "integer",
      label: "Initial items",
      description: "How many of a feed's newest items to emit at the first check.",
      default: 10,
      min: 0
    }
  },
  methods: {
    /** Emits what is new in a feed, oldest first, for as long as there is room in the output. */
    emitNew(url, { items, link, title }, { maxMarks, output }) {
      const before = this.db.get(keyOf(url))
      const seen = new SeenIds(before?.seen ?? [], maxMarks)
      const newest = rememberable(items, maxMarks)
      const itemIds = new ItemIds(newest, seen)
      if (before !== undefined && before.version !== storeVersion) itemIds.adopt(newest)
      const isPassed = (index) => before === undefined && index >= this.initialItems
      for (const [index, item] of [...newest.entries()].toReversed()) {
        if (!itemIds.isSeen(item) && !isPassed(index)) {
          const id = itemIds.of(item)
          const { ids: _, ...fields } = item
          const event = { feed: { url, title, link }, ...fields, id }
          if (!output.takes(event)) return { seen, isWhole: false }
          this.$emit(event, {
            id: `${url} ${id}`,
            summary: item.title ?? item.link ?? id,
            ts: item.published ?? item.updated
          })
        }
        itemIds.add(item)
      }
      return { seen, isWhole: true }
    },
    async look(url, limits) {
      const { validators } = this.db.get(keyOf(url)) ?? {}
      const { bytes, headers, status, url: from, validators: newer } = await getOk(url, {
        maxBytes,
        timeoutSeconds,
        validators
      })
      if (status === 304) return
      let document
      try {
        document = FeedDocument.parse(textOf(bytes, headers, FeedDocument.encodingOf(bytes)), from)
      } catch (cause) {
        throw new Error(`${shown(url)} can't be read: ${cause.message}`, { cause })
      }
      const { isWhole, seen } = this.emitNew(url, document, limits)
      // What is left of it is for the next time, so it has to be sent again.
      this.db.set(keyOf(url), { version: storeVersion, seen, validators: isWhole ? newer : undefined })
    },
    /** Looks at all feeds and answers what went wrong with some. */
    async poll() {
      const urls = [...new Set(this.urls)]
      for (const url of this.db.get("feeds") ?? []) {
        if (!urls.includes(url)) this.db.set(keyOf(url), undefined)
      }
      this.db.set("feeds", urls)
      const limits = {
        output: new Output(),
        maxMarks: Math.min(3 * maxItems, Math.floor(bytesForIds / bytesPerId / urls.length))
      }
      const failures = new Map()
      const waiting = [...urls]
      const work = async () => {
        for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
          try {
            await this.look(url, limits)
          } catch (error) {
            console.error(error.message)
            failures.set(url, error)
          }
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return urls.flatMap((url) => failures.get(url) ?? [])
    },
    check() {
      if (this.urls.length === 0) throw new Error("There is no feed to look at.")
      if (this.urls.length > maxFeeds) throw new Error(`There are more than ${maxFeeds} feeds: make several sources.`)
    },
    fail(failures) {
      if (failures.length === 1) throw failures[0]
      const list = failures.map(({ message }) => message).join("\n")
      throw new AggregateError(failures, `${failures.length} of ${this.urls.length} feeds failed:\n${list}`)
    }
  },
  hooks: {
    async deploy() {
      this.check()
      const failures = await this.poll()
      // A feed that is down must not keep the others.
      if (failures.length > 0 && failures.length === new Set(this.urls).size) this.fail(failures)
    },
    activate() {
      this.check()
    }
  },
  async run() {
    const failures = await this.poll()
    if (failures.length > 0) this.fail(failures)
  },
  sampleEmit: {
    feed: { url: "https://example.com/feed.xml", title: "River news", link: "https://example.com/" },
    id: "tag:example.com,2026:17",
    title: "The river is rising",
    link: "https://example.com/17",
    author: "Ann",
    published: "2026-11-21T09:55:08.000Z",
    updated: "2026-11-21T09:55:08.000Z",
    summary: "By two inches since the morning.",
    content: "<p>By two inches since the morning.</p>",
    categories: ["water"],
    enclosures: [{ url: "https://example.com/17.jpg", type: "image/jpeg", length: 12345 }]
  }
}
