import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Polling from "../test/Polling.ts"
import * as VendorServer from "../test/VendorServer.ts"

interface Item {
  readonly id: number | string
  readonly at?: string
  readonly text?: string
}

const items = (first: number, last: number): Array<Item> =>
  Array.from({ length: last - first + 1 }, (_, index) => ({ id: first + index }))

const ids = ({ emitted }: { readonly emitted: ReadonlyArray<{ readonly event: Item }> }) =>
  emitted.map(({ event }) => event.id)

const pageSize = 3

type Api = (request: VendorServer.VendorRequest, list: ReadonlyArray<Item>) => VendorServer.VendorAnswer

/** APIs that give a list in pages, each in its own way, and how each is set. */
const pagings: Record<string, { readonly answer: Api; readonly props: Record<string, unknown> }> = {
  "a Link header": {
    answer: ({ url }, list) => {
      const from = Number(url.searchParams.get("from") ?? 0)
      const next = `<${url.pathname}?from=0>; rel="first", <${url.pathname}?from=${from + pageSize}>; rel="next"`
      const more = from + pageSize < list.length
      return { body: list.slice(from, from + pageSize), ...(more ? { headers: { link: next } } : {}) }
    },
    props: { paging: "link" }
  },
  "a URL in the answer": {
    answer: ({ url }, list) => {
      const from = Number(url.searchParams.get("from") ?? 0)
      const next = from + pageSize < list.length ? `${url.origin}${url.pathname}?from=${from + pageSize}` : null
      return { body: { data: { rows: list.slice(from, from + pageSize) }, links: { next } } }
    },
    props: { paging: "url", nextPath: "links.next", itemsPath: "data.rows" }
  },
  "a cursor": {
    answer: ({ url }, list) => {
      const from = Number(atob(url.searchParams.get("after") ?? btoa("0")))
      const next = from + pageSize < list.length ? btoa(String(from + pageSize)) : ""
      return { body: { rows: list.slice(from, from + pageSize), next } }
    },
    props: { paging: "cursor", nextPath: "next", pageParam: "after", itemsPath: "rows" }
  },
  "a number": {
    answer: ({ url }, list) => {
      const from = (Number(url.searchParams.get("page")) - 1) * pageSize
      return { body: list.slice(from, from + pageSize) }
    },
    props: { paging: "page" }
  }
}

layer(Polling.layer, { timeout: "60 seconds", excludeTestServices: true })("the JSON API", (it) => {
  for (const [name, { answer, props }] of Object.entries(pagings)) {
    it.effect(`emits what is new in a list that is paged by ${name}, once and in order`, () =>
      Effect.gen(function*() {
        let list = items(1, 8).toReversed()
        const server = yield* VendorServer.make((request) => answer(request, list))
        const url = `${server.origin}/list`
        const source = yield* Polling.source("json-poll", { ...props, url, idField: "id", initialItems: 4 })
        assert.deepStrictEqual(ids(yield* source.deploy), [5, 6, 7, 8])
        assert.deepStrictEqual(ids(yield* source.tick), [])
        list = items(9, 15).toReversed().concat(list)
        assert.deepStrictEqual(ids(yield* source.tick), [9, 10, 11, 12, 13, 14, 15])
        list = list.toSpliced(0, 2)
        assert.deepStrictEqual(ids(yield* source.tick), [])
        list = items(15, 16).toReversed().concat(list)
        assert.deepStrictEqual(ids(yield* source.tick), [16])
      }).pipe(Polling.onTestClock))
  }

  it.effect("finds the next page in any Link header", () =>
    Effect.gen(function*() {
      const next = "</list?page=2,b;c>"
      const found = {
        "a comma and more in quotes": `</no>; title="a, b; rel=next"; rel="prev", ${next}; rel="next"`,
        "a quote in quotes": `</no>; title="a\\", <c>; rel=next"; rel=prev, ${next}; title="\\"next, "; rel="next"`,
        "blanks around the signs": `${next} ;\trel = "next" ; title = a , </no> ; rel = prev`,
        "no blanks and no quotes": `</no>;rel=prev,${next};rel=next`,
        "a list of relations": `</no>; rel="prev first", ${next}; rel="last\tnext  http://example.com/rel"`,
        "a list of relations without quotes": `${next}; rel=last next; title=x`,
        "other cases": `${next}; REL="Next"`,
        "single quotes": `${next}; rel='next'`,
        "parameters without a value, after the relation, and in other charsets":
          `${next}; crossorigin; rel=next; title*=UTF-8''a%2C; hreflang=; ;`,
        "empty members": `, , ${next}; rel=next, ,`,
        "a relation that begins with the same": `</no>; rel="next-archive", </no>; rel="x-next", ${next}; rel="next"`,
        "several relations, of which the first counts":
          `</no>; rel="prev"; rel="next", ${next}; rel="next"; rel="last"`,
        "several relations, of which only a later one is it": `${next}; rel="last"; rel="next"`,
        "one of another page":
          `</no>; rel="next"; anchor="/other", </no>; rel=next; anchor="#part", ${next}; rel="next"; anchor="/list"`,
        "the same twice": `${next}; rel="next", ${next}; rel=next; type="application/json"`
      }
      for (const [name, link] of Object.entries(found)) {
        const server = yield* VendorServer.make(({ url }) => {
          if (url.pathname !== "/list") return { status: 404 }
          return url.search === "" ? { body: [{ id: 1 }], headers: { link } } : { body: [{ id: url.search }] }
        })
        const source = yield* Polling.source("json-poll", {
          url: `${server.origin}/list`,
          idField: "id",
          paging: "link"
        })
        assert.deepStrictEqual(ids(yield* source.deploy), ["?page=2,b;c", 1], name)
      }
    }).pipe(Polling.onTestClock))

  it.effect("says what it can't read rather than leave a page out", () =>
    Effect.gen(function*() {
      const unreadable = {
        "</2>; rel=\"next": `can't be read from here: "next`,
        "</2; rel=next": "can't be read from here: </2; rel=next",
        "/2; rel=next": "can't be read from here: /2; rel=next",
        "</1>; rel=prev </2>; rel=next": "can't be read from here: </2>; rel=next",
        "</2>; rel=next, </3>; rel=next": "has several next pages",
        "<http://[>; rel=next": "the link to the next page is no URL: http://["
      }
      let link = ""
      let next: unknown
      const server = yield* VendorServer.make(() => ({ body: { rows: [{ id: 1 }], next }, headers: { link } }))
      const props = { url: `${server.origin}/list`, itemsPath: "rows", idField: "id" }
      const refused = Effect.fnUntraced(function*(more: Record<string, unknown>) {
        return (yield* Effect.flip((yield* Polling.source("json-poll", { ...props, ...more })).deploy)).message
      })
      for (const [header, message] of Object.entries(unreadable)) {
        link = header
        assert.include(yield* refused({ paging: "link" }), message, header)
      }
      link = ""
      next = { href: "/2" }
      assert.include(yield* refused({ paging: "cursor", nextPath: "next" }), "at next is neither a URL nor a cursor")
      assert.include(yield* refused({ paging: "url" }), "without a path to what is next")
      next = "http://["
      assert.include(yield* refused({ paging: "url", nextPath: "next" }), "the next page has no URL: http://[")
      next = 0
      assert.deepStrictEqual(
        ids(yield* (yield* Polling.source("json-poll", { ...props, paging: "cursor", nextPath: "next" })).deploy),
        [1]
      )
    }).pipe(Polling.onTestClock))

  it.effect("reads JSON in the encoding that it is in, and takes links to be relative to where the list has moved", () =>
    Effect.gen(function*() {
      const text = JSON.stringify([{ id: "é" }])
      const server = yield* VendorServer.make(({ url }) => {
        switch (`${url.pathname}${url.search}`) {
          case "/list":
            return { status: 302, headers: { location: "/v2/list" } }
          case "/v2/list":
            return { body: Buffer.from(`\ufeff${text}`, "utf16le"), headers: { link: `<?page=2>; rel="next"` } }
          case "/v2/list?page=2":
            return {
              body: Buffer.from(text.replace("é", "ü"), "latin1"),
              headers: { "content-type": `application/json; charset = "iso-8859-1"` }
            }
          default:
            return { status: 404 }
        }
      })
      const source = yield* Polling.source("json-poll", { url: `${server.origin}/list`, idField: "id", paging: "link" })
      assert.deepStrictEqual(ids(yield* source.deploy), ["ü", "é"])
    }).pipe(Polling.onTestClock))

  it.effect("reads no further than a page without new items where it is told so, and misses none for a failure", () =>
    Effect.gen(function*() {
      let list = items(1, 12).toReversed()
      let failing = false
      const server = yield* VendorServer.make((request) =>
        failing && request.url.searchParams.get("page") === "2"
          ? { status: 503, body: "try later" }
          : pagings["a number"]!.answer(request, list)
      )
      const source = yield* Polling.source("json-poll", {
        url: `${server.origin}/list?key=hidden`,
        idField: "id",
        paging: "page",
        stopAtSeen: true
      })
      yield* source.deploy
      const asked = server.asked.length
      list = items(13, 17).toReversed().concat(list)
      failing = true
      const failed = yield* source.tick
      assert.deepStrictEqual(ids(failed), [])
      assert.match(failed.errors.join(), /^GET http:\/\/127\.0\.0\.1:\d+\/list: the answer is 503: try later$/)
      failing = false
      assert.deepStrictEqual(ids(yield* source.tick), [13, 14, 15, 16, 17])
      assert.deepStrictEqual(
        server.asked.slice(asked).map(({ url }) => url.search),
        ["1", "2", "1", "2", "3"].map((page) => `?key=hidden&page=${page}`)
      )
    }).pipe(Polling.onTestClock))

  it.effect("orders by time, keeps large ids apart, and takes a changed item for a new one where there is no id", () =>
    Effect.gen(function*() {
      let body = `[{"id": 9007199254740993, "at": "2026-01-02"}, {"id": 9007199254740992, "at": "2026-01-01"}]`
      const server = yield* VendorServer.make(({ headers }) =>
        headers["authorization"] === "Bearer t" ? { body } : { status: 401 }
      )
      const headers = { Authorization: "Bearer t" }
      const props = { url: server.origin, headers, timestampField: "at", newestFirst: false }
      const source = yield* Polling.source("json-poll", { ...props, idField: "id" })
      const { emitted } = yield* source.deploy
      assert.deepStrictEqual(emitted.map(({ event }) => event.id), ["9007199254740992", "9007199254740993"])
      assert.deepStrictEqual(emitted[0]!.meta, {
        id: "9007199254740992",
        summary: "9007199254740992",
        ts: "2026-01-01"
      })
      const whole = yield* Polling.source("json-poll", props)
      yield* whole.deploy
      body = body.replace("2026-01-02", "2026-01-03")
      assert.deepStrictEqual(ids(yield* whole.tick), ["9007199254740993"])
      assert.deepStrictEqual(ids(yield* source.tick), [])
    }).pipe(Polling.onTestClock))

  it.effect("emits more than fits into one run with the next ones, none twice", () =>
    Effect.gen(function*() {
      const text = "x".repeat(100_000)
      let list: Array<Item> = []
      const server = yield* VendorServer.make((request) => pagings["a number"]!.answer(request, list))
      const source = yield* Polling.source("json-poll", {
        url: server.origin,
        idField: "id",
        paging: "page",
        maxPages: 50,
        stopAtSeen: true
      })
      yield* source.deploy
      list = items(1, 120).map((item) => ({ ...item, text })).toReversed()
      const found: Array<Item["id"]> = []
      for (let run = 0; run < 3; run++) {
        const { emitted, errors } = yield* source.tick
        assert.deepStrictEqual(errors, [])
        found.push(...emitted.map(({ event }) => event.id))
      }
      assert.deepStrictEqual(found, items(1, 120).map(({ id }) => id))
    }).pipe(Polling.onTestClock))

  it.effect("begins anew where it is pointed at another list", () =>
    Effect.gen(function*() {
      const server = yield* VendorServer.make(({ url }) => ({
        body: url.pathname === "/a" ? items(1, 5) : items(1, 3)
      }))
      const source = yield* Polling.source("json-poll", { url: `${server.origin}/a`, idField: "id", initialItems: 1 })
      yield* source.deploy
      yield* source.change({ url: `${server.origin}/b` })
      assert.deepStrictEqual(ids(yield* source.tick), [1])
    }).pipe(Polling.onTestClock))

  it.effect("is refused where there is no such list, and sends its headers to no other server", () =>
    Effect.gen(function*() {
      const other = yield* VendorServer.make(() => ({ body: [] }))
      const server = yield* VendorServer.make(({ url }) =>
        url.pathname === "/text" ? { body: "<html>" } : { body: { rows: [{ name: "no id" }], next: other.origin } }
      )
      const refused = Effect.fnUntraced(function*(props: Record<string, unknown>) {
        const source = yield* Polling.source("json-poll", { url: server.origin, itemsPath: "rows", ...props })
        return (yield* Effect.flip(source.deploy)).message
      })
      assert.include(yield* refused({ itemsPath: "data.rows" }), "there is no list at data.rows")
      assert.include(yield* refused({ url: `${server.origin}/text` }), "the answer is not JSON: <html>")
      assert.include(yield* refused({ idField: "id" }), `no text or number at id: {"name":"no id"}`)
      assert.include(yield* refused({ paging: "url", nextPath: "next" }), "the next page is elsewhere")
      assert.deepStrictEqual(other.asked, [])
    }).pipe(Polling.onTestClock))
})
