import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { corpus } from "../test/FeedCorpus.ts"
import * as Polling from "../test/Polling.ts"
import * as VendorServer from "../test/VendorServer.ts"

const day = (number: number) => new Date(Date.UTC(2026, 0, number))

/** A feed of items with these numbers, as each format has it. */
const formats = {
  rss: (numbers: ReadonlyArray<number>) =>
    `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
      <title>News &amp; more</title><link>https://example.com/</link>
      ${
      numbers.map((number) =>
        `<item><title><![CDATA[No. <${number}>]]></title><guid isPermaLink="false">${number}</guid><link>/${number}</link>
         <pubDate>${
          day(number).toUTCString()
        }</pubDate><description>&lt;b&gt;bold&lt;/b&gt; &amp;amp; more</description>
         <enclosure url="/${number}.mp3" length="17" type="audio/mpeg"/><category>a</category><category>b</category></item>`
      ).join("")
    }</channel></rss>`,
  rdf: (numbers: ReadonlyArray<number>) =>
    `<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <channel><title>News</title></channel>
      ${numbers.map((number) => `<item rdf:about="${number}"><title>No. ${number}</title></item>`).join("")}</rdf:RDF>`,
  atom: (numbers: ReadonlyArray<number>) =>
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
      ${
      numbers.map((number) =>
        `<entry><id>${number}</id><title>No. ${number}</title><link href="/self" rel="self"/><link href="/${number}"/>
         <author><name>Ann</name></author><updated>${day(number).toISOString()}</updated>
         <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b> &amp; c</div></content></entry>`
      ).join("")
    }</feed>`,
  json: (numbers: ReadonlyArray<number>) =>
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "News",
      items: numbers.map((number) => ({
        id: String(number),
        url: `/${number}`,
        date_published: day(number).toISOString()
      }))
    })
}

type Served = VendorServer.VendorAnswer | ReadonlyArray<number>

/** Feeds by path, in the format that the path names, with ETags that their server looks at. */
const serve = (feeds: Record<string, Served>) =>
  VendorServer.make(({ headers, url }) => {
    const path = url.pathname.slice(1)
    const served = feeds[path] ?? { status: 404 }
    if (!Array.isArray(served)) return served as VendorServer.VendorAnswer
    const body = formats[path.split("-")[0] as keyof typeof formats](served)
    const etag = `"${createHash("sha256").update(body).digest("hex")}"`
    return headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body }
  })

const idsOf = ({ emitted }: { readonly emitted: ReadonlyArray<{ readonly event: { readonly id: string } }> }) =>
  emitted.map(({ event }) => Number(event.id))

layer(Polling.layer, { timeout: "60 seconds", excludeTestServices: true })("feeds", (it) => {
  for (const format of ["rss", "rdf", "atom", "json"] as const) {
    // Items with times may come in any order.
    const list = (...numbers: ReadonlyArray<number>) => format === "rdf" ? numbers : numbers.toReversed()
    it.effect(`emits each new item of ${format} once, oldest first, and asks only for what has changed`, () =>
      Effect.gen(function*() {
        const feeds = { [format]: list(5, 4, 3, 2, 1) }
        const server = yield* serve(feeds)
        const source = yield* Polling.source("feed", { urls: [`${server.origin}/${format}`], initialItems: 2 })
        assert.deepStrictEqual(idsOf(yield* source.deploy), [4, 5])
        assert.deepStrictEqual(yield* source.tick, { emitted: [], errors: [], logged: [] })
        assert.isDefined(server.asked.at(-1)!.headers["if-none-match"])
        feeds[format] = list(8, 7, 6, 5, 4, 3, 2)
        assert.deepStrictEqual(idsOf(yield* source.tick), [6, 7, 8])
        feeds[format] = list(2)
        assert.deepStrictEqual(idsOf(yield* source.tick), [])
        feeds[format] = list(9, 8, 7, 6, 5, 4, 3, 2, 1)
        assert.deepStrictEqual(idsOf(yield* source.tick), [9])
      }).pipe(Polling.onTestClock))
  }

  it.effect("emits what the documents say, in one form", () =>
    Effect.gen(function*() {
      const server = yield* serve({ rss: [1], atom: [2] })
      const [rss, atom] = ["rss", "atom"].map((format) => `${server.origin}/${format}`)
      const { emitted } = yield* (yield* Polling.source("feed", { urls: [rss, atom] })).deploy
      assert.deepStrictEqual<unknown>(emitted, [
        {
          event: {
            feed: { url: rss, title: "News & more", link: "https://example.com/" },
            id: "1",
            title: "No. <1>",
            link: `${server.origin}/1`,
            published: day(1).toISOString(),
            summary: "<b>bold</b> &amp; more",
            categories: ["a", "b"],
            enclosures: [{ url: `${server.origin}/1.mp3`, type: "audio/mpeg", length: 17 }]
          },
          meta: { id: `${rss} 1`, summary: "No. <1>", ts: day(1).toISOString() }
        },
        {
          event: {
            feed: { url: atom, title: "News" },
            id: "2",
            title: "No. 2",
            link: `${server.origin}/2`,
            author: "Ann",
            updated: day(2).toISOString(),
            content: `<div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b> &amp; c</div>`,
            categories: [],
            enclosures: []
          },
          meta: { id: `${atom} 2`, summary: "No. 2", ts: day(2).toISOString() }
        }
      ])
    }).pipe(Polling.onTestClock))

  it.effect("gives the items of feeds as they are found on the web", () =>
    Effect.gen(function*() {
      const feeds = corpus.map(({ body, contentType }) => ({
        body,
        headers: { "content-type": contentType ?? "application/xml" }
      }))
      const server = yield* serve(Object.fromEntries(feeds.map((feed, index) => [String(index), feed])))
      const urls = corpus.map((_, index) => `${server.origin}/${index}`)
      const source = yield* Polling.source("feed", { urls, initialItems: 100 })
      const { emitted, errors, logged } = yield* source.deploy
      assert.deepStrictEqual({ errors, logged }, { errors: [], logged: [] })
      for (const [index, { feed = {}, items, name }] of corpus.entries()) {
        const events = emitted.map(({ event }) => event).filter((event) => event.feed.url === urls[index])
        const told = JSON.stringify({ feed, items }).replaceAll("$origin", server.origin).replaceAll(
          "$path",
          String(index)
        )
        const wanted = JSON.parse(told)
        const as = (keys: object, given: Record<string, unknown>) =>
          Object.fromEntries(Object.keys(keys).map((key) => [key, given[key]]))
        const given = items.map((item, position) =>
          events.map((event) => as(item, event)).find((event) =>
            JSON.stringify(event) === JSON.stringify(as(item, wanted.items[position]))
          )
        )
        assert.notInclude(given, undefined, `${name}: ${JSON.stringify(events)}`)
        assert.strictEqual(events.length, items.length, name)
        if (events[0] !== undefined) assert.deepStrictEqual(as(feed, events[0].feed), wanted.feed, name)
        assert.strictEqual(new Set(events.map(({ id }) => id)).size, items.length, name)
      }
      assert.deepStrictEqual((yield* source.tick).emitted, [])
    }).pipe(Polling.onTestClock))

  it.effect("takes links to be relative to where a feed has moved", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        feed: { status: 302, headers: { location: "/moved/feed" } },
        "moved/feed": { body: "<rss><channel><item><link>1</link></item></channel></rss>" }
      })
      const { emitted } = yield* (yield* Polling.source("feed", { urls: [`${server.origin}/feed`] })).deploy
      assert.deepInclude(emitted[0]!.event, { id: "1", link: `${server.origin}/moved/1` })
    }).pipe(Polling.onTestClock))

  it.effect("tells items without a guid apart that share a link, also one after the other, and no item from its former self", () =>
    Effect.gen(function*() {
      const item = (title: string, link: string, more = "") =>
        `<item><title>${title}</title><link>${link}</link>${more}</item>`
      const feeds = { feed: { body: "" } }
      const serveItems = (...items: ReadonlyArray<string>) => {
        feeds.feed.body = `<rss><channel>${items.join("")}</channel></rss>`
      }
      const server = yield* serve(feeds)
      const source = yield* Polling.source("feed", { urls: [`${server.origin}/feed`] })
      const titles = (
        { emitted }: { readonly emitted: ReadonlyArray<{ readonly event: { readonly title: string } }> }
      ) => emitted.map(({ event }) => event.title)
      serveItems(item("own", "/own"), item("a", "/"))
      assert.deepStrictEqual(titles(yield* source.deploy), ["a", "own"])
      serveItems(item("b", "/"), item("own, changed", "/own", "<description>more</description>"), item("a", "/"))
      assert.deepStrictEqual(titles(yield* source.tick), ["b"])
      serveItems(item("c", "/"), item("own, changed again", "/own"))
      assert.deepStrictEqual(titles(yield* source.tick), ["c"])
      serveItems(item("c", "/"), item("a", "/"), item("own", "/own"))
      assert.deepStrictEqual(titles(yield* source.tick), [])
      serveItems(item("d", "/"))
      assert.deepStrictEqual(titles(yield* source.tick), ["d"])
      serveItems(item("f", "/late"), item("e", "/late"))
      assert.deepStrictEqual(titles(yield* source.tick), ["e", "f"])
    }).pipe(Polling.onTestClock))

  it.effect("emits nothing again that an earlier version of it has emitted", () =>
    Effect.gen(function*() {
      const items = [
        "<title>new</title><guid>new</guid>",
        "<title>by guid</title><guid>1</guid><link>/a</link>",
        "<title>by link</title><link>/b</link>",
        "<title>by all</title><description>text</description>",
        "<title>silent</title><link>/</link>",
        "<title>by shared link</title><link>/</link>"
      ]
      const body = `<rss><channel>${items.map((item) => `<item>${item}</item>`).join("")}</channel></rss>`
      const server = yield* serve({ feed: { body } })
      const url = `${server.origin}/feed`
      const all = { title: "by all", summary: "text", categories: [], enclosures: [] }
      const ids = ["1", "/b", createHash("sha256").update(JSON.stringify(all)).digest("hex"), "/"]
      const seen = ids.map((id) => createHash("sha256").update(id).digest("base64url").slice(0, 12))
      const source = yield* Polling.source("feed", { urls: [url] }, { [`feed ${url}`]: { seen }, feeds: [url] })
      assert.deepStrictEqual((yield* source.deploy).emitted.map(({ event }) => event.title), ["silent", "new"])
      assert.deepStrictEqual((yield* source.tick).emitted, [])
    }).pipe(Polling.onTestClock))

  it.effect("goes on with the others where some are broken, says which, and catches up with them later", () =>
    Effect.gen(function*() {
      const feeds: Record<string, Served> = { "rss-a": { status: 500, body: "down" }, "rss-b": [1], "rss-c": [1] }
      const server = yield* serve(feeds)
      const urls = ["rss-a", "rss-b", "rss-c"].map((path) => `${server.origin}/${path}`)
      const source = yield* Polling.source("feed", { urls, initialItems: 1 })
      const first = yield* source.deploy
      assert.deepStrictEqual(first.emitted.map(({ event }) => event.feed.url), [urls[1], urls[2]])
      assert.match(first.logged.join(), /rss-a: the answer is 500: down$/)
      Object.assign(feeds, { "rss-a": [2, 1], "rss-b": { body: "<html>sorry" }, "rss-c": { status: 404 } })
      const second = yield* source.tick
      assert.deepStrictEqual(idsOf(second), [2])
      assert.strictEqual(second.errors.length, 1)
      assert.match(
        second.errors[0]!,
        /^2 of 3 feeds failed:\n.*\/rss-b can't be read: it is neither .*\nGET .*\/rss-c: the answer is 404$/
      )
      assert.strictEqual(second.logged.length, 2)
      Object.assign(feeds, { "rss-b": [2, 1], "rss-c": [3, 1] })
      assert.deepStrictEqual(idsOf(yield* source.tick), [2, 3])
    }).pipe(Polling.onTestClock))

  it.effect("reads XML in the encoding that it names", () =>
    Effect.gen(function*() {
      const body = Buffer.from(
        formats.rss([1]).replace(`?>`, ` encoding="iso-8859-1"?>`).replace("No.", "Nº"),
        "latin1"
      )
      const server = yield* serve({ feed: { body } })
      const { emitted } = yield* (yield* Polling.source("feed", { urls: [`${server.origin}/feed`] })).deploy
      assert.strictEqual(emitted[0]!.event.title, "Nº <1>")
    }).pipe(Polling.onTestClock))

  it.effect("remembers as much of as many long feeds as there is room for, and forgets those that are taken out", () =>
    Effect.gen(function*() {
      const numbers = Array.from({ length: 1_000 }, (_, index) => 1_000 - index)
      const names = Array.from({ length: 100 }, (_, index) => `json-${index}`)
      const feeds: Record<string, Served> = Object.fromEntries(names.map((name) => [name, numbers]))
      const server = yield* serve(feeds)
      const urls = names.map((name) => `${server.origin}/${name}`)
      const source = yield* Polling.source("feed", { urls, initialItems: 0 })
      yield* source.deploy
      for (const name of names) feeds[name] = [1_001, ...numbers]
      const { emitted, errors } = yield* source.tick
      assert.deepStrictEqual(errors, [])
      assert.strictEqual(emitted.length, 100)
      yield* source.change({ urls: urls.slice(0, 1) })
      yield* source.tick
      assert.deepStrictEqual(Object.keys(yield* source.store).sort(), [`feed ${urls[0]}`, "feeds"])
    }).pipe(Polling.onTestClock))

  it.effect("is refused without a feed, with too many, and where none of them is there", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      const refused = Effect.fnUntraced(function*(urls: ReadonlyArray<string>) {
        return (yield* Effect.flip((yield* Polling.source("feed", { urls })).deploy)).message
      })
      assert.include(yield* refused([]), "no feed")
      assert.include(
        yield* refused(Array.from({ length: 101 }, (_, index) => `${server.origin}/${index}`)),
        "100 feeds"
      )
      assert.include(yield* refused([`${server.origin}/rss`]), "the answer is 404")
    }).pipe(Polling.onTestClock))
})
