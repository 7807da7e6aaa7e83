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
