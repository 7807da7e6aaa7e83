import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as Polling from "../test/Polling.ts"
import * as VendorServer from "../test/VendorServer.ts"

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")

/** A page that can be changed, with an ETag that its server looks at. */
const makePage = Effect.fnUntraced(function*(first: VendorServer.VendorAnswer) {
  let current = first
  const server = yield* VendorServer.make(({ headers }) => {
    if (current.status !== undefined && current.status !== 200) return current
    const etag = `"${hashOf(String(current.body))}"`
    return headers["if-none-match"] === etag ? { status: 304 } : { ...current, headers: { etag, ...current.headers } }
  })
  return {
    ...server,
    becomes: (next: VendorServer.VendorAnswer) => {
      current = next
    }
  }
})

layer(Polling.layer, { timeout: "60 seconds", excludeTestServices: true })("the URL watch", (it) => {
  it.effect("emits each change of a page, and asks for it only where it has changed", () =>
    Effect.gen(function*() {
      const page = yield* makePage({ body: "one" })
      const url = `${page.origin}/terms?key=k`
      const source = yield* Polling.source("url-watch", { url, includeContent: true, maxLength: 4 })
      assert.deepStrictEqual((yield* source.deploy).emitted, [])
      assert.deepStrictEqual((yield* source.tick).emitted, [])
      assert.strictEqual(page.asked.at(-1)!.headers["if-none-match"], `"${hashOf("one")}"`)
      const seen: Array<unknown> = []
      for (const body of ["three", "three", "one"]) {
        page.becomes({ body })
        const { emitted } = yield* source.tick
        seen.push(...emitted.map(({ event }) => event))
      }
      const common = { url, status: 200, previous_status: 200 }
      const one = { hash: hashOf("one"), content: "one" }
      const three = { hash: hashOf("three"), content: "thre" }
      assert.deepStrictEqual(seen, [
        { ...common, ...three, previous_hash: one.hash, previous_content: one.content },
        { ...common, ...one, previous_hash: three.hash, previous_content: three.content }
      ])
    }).pipe(Polling.onTestClock))

  it.effect("takes an error for no change, and goes on from where it was", () =>
    Effect.gen(function*() {
      const page = yield* makePage({ body: "one" })
      const source = yield* Polling.source("url-watch", { url: page.origin })
      yield* source.deploy
      page.becomes({ status: 502, body: "bad gateway" })
      const failed = yield* source.tick
      assert.deepStrictEqual(failed.emitted, [])
      assert.match(failed.errors.join(), /the answer is 502: bad gateway$/)
      page.becomes({ body: "one" })
      assert.deepStrictEqual(yield* source.tick, { emitted: [], errors: [], logged: [] })
      page.becomes({ body: "two" })
      assert.strictEqual((yield* source.tick).emitted.length, 1)
    }).pipe(Polling.onTestClock))

  it.effect("emits where the status changes, if it is told to, and not for what an error says", () =>
    Effect.gen(function*() {
      const page = yield* makePage({ body: "one" })
      const source = yield* Polling.source("url-watch", { url: page.origin, watchStatus: true })
      yield* source.deploy
      const seen: Array<unknown> = []
      const answers = [{ status: 503, body: "1" }, { status: 503, body: "2" }, { status: 404 }, { body: "one" }, {
        body: "one"
      }]
      for (const answer of answers) {
        page.becomes(answer)
        const { emitted, errors } = yield* source.tick
        assert.deepStrictEqual(errors, [])
        seen.push(...emitted.map(({ event }) => [event.previous_status, event.status, event.hash]))
      }
      assert.deepStrictEqual(seen, [[200, 503, null], [503, 404, null], [404, 200, hashOf("one")]])
    }).pipe(Polling.onTestClock))

  it.effect("watches the part that a pattern matches, in the charset that the page names", () =>
    Effect.gen(function*() {
      const pageWith = (price: string, noise: number) => ({
        body: `<p>${noise}</p>\nPrice: <b>${price}</b>`,
        headers: { "content-type": "text/html; charset=iso-8859-1" }
      })
      const page = yield* makePage(pageWith("17", 1))
      const pattern = "Price: <b>(.*?)</b>"
      const source = yield* Polling.source("url-watch", { url: page.origin, pattern, includeContent: true })
      yield* source.deploy
      const seen: Array<unknown> = []
      for (const answer of [pageWith("17", 2), pageWith("18 €", 3), { body: "sold out" }]) {
        page.becomes(answer)
        const { emitted } = yield* source.tick
        seen.push(...emitted.map(({ event }) => [event.previous_content, event.content]))
      }
      // The server sends UTF-8 in spite of what it says.
      assert.deepStrictEqual(seen, [["17", "18 â‚¬"], ["18 â‚¬", null]])
    }).pipe(Polling.onTestClock))

  it.effect("is refused where the URL, or the pattern in it, is not there", () =>
    Effect.gen(function*() {
      const page = yield* makePage({ body: "one" })
      const refused = Effect.fnUntraced(function*(props: Record<string, unknown>) {
        const source = yield* Polling.source("url-watch", { url: page.origin, ...props })
        return (yield* Effect.flip(source.deploy)).message
      })
      assert.include(yield* refused({ pattern: "two" }), "The pattern matches nothing")
      assert.include(yield* refused({ pattern: "(" }), "Invalid regular expression")
      assert.include(yield* refused({ url: "nowhere" }), "Invalid URL")
      page.becomes({ status: 404, body: "gone" })
      assert.include(yield* refused({}), "the answer is 404: gone")
    }).pipe(Polling.onTestClock))
})
