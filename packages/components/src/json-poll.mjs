import { createHash } from "node:crypto"
import * as ExactJson from "./ExactJson.mjs"
import * as LinkHeader from "./LinkHeader.mjs"
import { Output, SeenIds } from "./NewItems.mjs"
import { getOk, shown } from "./Web.mjs"

/** As many items as are remembered. */
const maxItems = 20_000

/** What is at a dotted path, the empty one being the value itself. */
const at = (value, path) => path ? path.split(".").reduce((inner, name) => inner?.[name], value) : value

const nextOfLinks = ({ headers, url }) => {
  const [next, ...others] = LinkHeader.urlsOf(headers.get("link") ?? "", "next", url)
  if (others.length > 0) throw new Error("the Link header has several next pages")
  return next
}

/** What is at a path, if it says where the next page is; where there is none, APIs have null, 0, false or an empty text. */
const nextInAnswer = (json, path) => {
  const told = path ? at(json, path) : json
  if (!told) return undefined
  if (typeof told === "string" || typeof told === "number") return String(told)
  throw new Error(`what is at ${path || "the top, without a path to what is next,"} is neither a URL nor a cursor`)
}

const withParam = (url, name, value) => {
  const next = new URL(url)
  next.searchParams.set(name, value)
  return next.href
}

export default {
  key: "headwater-json-poll",
  name: "JSON API",
  version: "1.0.0",
  type: "source",
  description: "Polls a JSON API for a list, and emits an event for each new item.",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often to poll the API.",
      default: { intervalSeconds: 900 }
    },
    db: "$.service.db",
    url: {
      type: "string",
      label: "URL",
      description: "The URL to poll, with GET."
    },
    headers: {
      type: "object",
      label: "Headers",
      description: "Headers of each request, such as Authorization.",
      optional: true,
      secret: true
    },
    itemsPath: {
      type: "string",
      label: "Path to the list",
      description: "Names and numbers with dots between them, such as data.items. Empty if the answer is the list.",
      optional: true
    },
    idField: {
      type: "string",
      label: "Id field",
      description:
        "Path to the unique value of an item, such as id. Default: the whole item, so that an item that changes " +
        "counts as a new one.",
      optional: true
    },
    timestampField: {
      type: "string",
      label: "Timestamp field",
      description: "Path to an item's time: Unix seconds or milliseconds, or ISO 8601. Events are in its order.",
      optional: true
    },
    newestFirst: {
      type: "boolean",
      label: "Newest first",
      description: "Whether the list begins with the newest item or ends with it.",
      default: true
    },
    initialItems: {
      type: "integer",
      label: "Initial items",
      description: "How many of the newest existing items to emit at first.",
      default: 10,
      min: 0
    },
    paging: {
      type: "string",
      label: "Paging",
      description: "How the next page is found.",
      options: [
        { label: "There is one page", value: "none" },
        { label: "By the Link header of the answer", value: "link" },
        { label: "By a URL in the answer", value: "url" },
        { label: "By a cursor in the answer", value: "cursor" },
        { label: "By number, until a page is empty", value: "page" }
      ],
      default: "none"
    },
    nextPath: {
      type: "string",
      label: "Path to the next page",
      description: "Where the answer has the next page's URL or cursor, such as meta.next_cursor.",
      optional: true
    },
    pageParam: {
      type: "string",
      label: "Parameter",
      description: "The parameter of the URL that takes the cursor, or the page's number.",
      default: "page"
    },
    firstPage: {
      type: "integer",
      label: "First page",
      description: "The number of the first page.",
      default: 1
    },
    maxPages: {
      type: "integer",
      label: "Most pages",
      description: "The most pages to read each time.",
      default: 10,
      min: 1,
      max: 100
    },
    stopAtSeen: {
      type: "boolean",
      label: "Stop at a page without new items",
      description: "Read no page after one that has nothing new: for lists that begin with the newest item.",
      default: false
    }
  },
  methods: {
    idOf(item) {
      if (!this.idField) return createHash("sha256").update(JSON.stringify(item)).digest("hex")
      const id = at(item, this.idField)
      if (typeof id === "string" || typeof id === "number") return String(id)
      throw new Error(`An item has no text or number at ${this.idField}: ${JSON.stringify(item).slice(0, 200)}`)
    },
    timeOf(item) {
      const time = this.timestampField ? at(item, this.timestampField) : undefined
      return typeof time === "string" || typeof time === "number" ? time : undefined
    },
    /** The URL of the page after one. */
    next({ answer, items, json, number, url }) {
      switch (this.paging) {
        case "page":
          return items.length === 0 ? undefined : withParam(url, this.pageParam, this.firstPage + number)
        case "cursor": {
          const cursor = nextInAnswer(json, this.nextPath)
          return cursor === undefined ? undefined : withParam(url, this.pageParam, cursor)
        }
        case "link":
        case "url": {
          const told = this.paging === "link" ? nextOfLinks(answer) : nextInAnswer(json, this.nextPath)
          if (told === undefined) return undefined
          if (!URL.canParse(told, answer.url)) throw new Error(`the next page has no URL: ${told}`)
          const asked = new URL(url)
          // The headers are for the one server alone, which may lead from HTTP to HTTPS. One that is led to elsewhere may
          // be asked for the next page as it was for this one.
          const next = [new URL(told, answer.url), new URL(told, url)].find(({ host, protocol }) =>
            host === asked.host && (protocol === asked.protocol || protocol === "https:")
          )
          if (next !== undefined) return next.href
          throw new Error(`the next page is elsewhere, at ${shown(new URL(told, answer.url).href)}`)
        }
      }
    },
    async page(url) {
      const answer = await getOk(url, { headers: { accept: "application/json", ...this.headers } })
      let json
      try {
        json = ExactJson.parse(answer.text)
      } catch (cause) {
        throw new Error(`GET ${shown(url)}: the answer is not JSON: ${answer.text.slice(0, 200)}`, { cause })
      }
      const items = at(json, this.itemsPath)
      if (Array.isArray(items)) return { answer, items, json }
      throw new Error(`GET ${shown(url)}: there is no list at ${this.itemsPath || "the top"}`)
    },
    /** The items that are not among those seen, oldest first. All pages are read before any of it counts. */
    async newItems(seen) {
      const found = new Map()
      let listed = 0
      let url = this.paging === "page" ? withParam(this.url, this.pageParam, this.firstPage) : this.url
      for (let number = 1; url !== undefined; number++) {
        if (number > this.maxPages) {
          if (!this.stopAtSeen) {
            console.warn(`There are more than ${this.maxPages} pages: what is on the others is not looked at.`)
          }
          break
        }
        const { answer, items, json } = await this.page(url)
        listed += items.length
        if (listed > maxItems) throw new Error(`The list has more than ${maxItems} items.`)
        const before = found.size
        for (const item of items) {
          const id = this.idOf(item)
          if (seen.has(id)) seen.add(id)
          else if (!found.has(id)) found.set(id, item)
        }
        if (this.stopAtSeen && found.size === before) break
        try {
          url = this.next({ answer, items, json, number, url })
        } catch (cause) {
          throw new Error(`GET ${shown(url)}: ${cause.message}`, { cause })
        }
      }
      return this.newestFirst ? [...found].toReversed() : [...found]
    },
    async poll() {
      const list = JSON.stringify([this.url, this.itemsPath, this.idField])
      const known = this.db.get("list")
      const isFirst = known?.of !== list
      const seen = new SeenIds(isFirst ? [] : known.seen, maxItems)
      const items = await this.newItems(seen)
      const passed = isFirst ? Math.max(0, items.length - this.initialItems) : 0
      for (const [id] of items.slice(0, passed)) seen.add(id)
      const output = new Output()
      for (const [id, item] of items.slice(passed)) {
        if (!output.takes(item)) break
        seen.add(id)
        this.$emit(item, { id, summary: id, ts: this.timeOf(item) })
      }
      this.db.set("list", { of: list, seen })
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
  sampleEmit: { id: 17, name: "The river is rising", created_at: "2026-11-21T09:55:08Z" }
}
