const entities = { amp: "&", apos: "'", gt: ">", lt: "<", nbsp: "\u00a0", quot: "\"" }

const decode = (text) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    const code = hex ? parseInt(hex, 16) : Number(decimal)
    if (name) return entities[name] ?? all
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

// The text of the first element of this name, plain or CDATA.
const text = (xml, name) => {
  const match = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "i").exec(xml)
  if (!match) return undefined
  const cdata = /^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/.exec(match[1])
  return cdata ? cdata[1] : decode(match[1].replace(/<[^>]*>/g, "")).trim()
}

const attribute = (tag, name) => {
  const match = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(tag)
  return match ? decode(match[1] ?? match[2]) : undefined
}

// RSS gives the address as text. Atom gives it as an attribute of the link to the entry itself.
const link = (xml) => {
  const links = xml.match(/<link\b[^>]*>/gi) ?? []
  const own = links.find((tag) => attribute(tag, "href") && (attribute(tag, "rel") ?? "alternate") === "alternate")
  return own ? attribute(own, "href") : text(xml, "link")
}

const itemsOf = (feed) =>
  (feed.match(/<(item|entry)\b[\s\S]*?<\/\1>/gi) ?? []).map((xml) => {
    const url = link(xml)
    const date = text(xml, "pubDate") ?? text(xml, "published") ?? text(xml, "updated") ?? text(xml, "dc:date")
    const title = text(xml, "title")
    return {
      id: text(xml, "guid") ?? text(xml, "id") ?? url ?? title,
      title,
      url,
      date,
      summary: text(xml, "description") ?? text(xml, "summary") ?? text(xml, "content")
    }
  })

export default {
  key: "feed",
  name: "RSS or Atom feed",
  version: "1.0.0",
  description: "Polls an RSS or Atom feed and emits each of its items once.",
  dedupe: "unique",
  props: {
    url: {
      type: "string",
      label: "Feed URL"
    },
    timer: {
      type: "$.interface.timer",
      default: { intervalSeconds: 900 }
    },
    db: "$.service.db"
  },
  hooks: {
    // Emits the items that the feed already has, so that a new source has events from the start.
    async deploy() {
      await this.poll()
    }
  },
  methods: {
    async poll() {
      const known = this.db.get("validators") ?? {}
      const response = await fetch(this.url, {
        headers: {
          accept: "application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.5",
          ...(known.etag ? { "if-none-match": known.etag } : {}),
          ...(known.modified ? { "if-modified-since": known.modified } : {})
        }
      })
      if (response.status === 304) return
      if (!response.ok) throw new Error(`${this.url} answered ${response.status}`)
      for (const item of itemsOf(await response.text())) {
        const ts = Date.parse(item.date)
        this.$emit(item, {
          id: item.id,
          summary: item.title,
          ...(Number.isNaN(ts) ? {} : { ts })
        })
      }
      this.db.set("validators", {
        etag: response.headers.get("etag"),
        modified: response.headers.get("last-modified")
      })
    }
  },
  async run() {
    await this.poll()
  }
}
