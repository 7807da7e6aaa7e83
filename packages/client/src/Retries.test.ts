import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { retrying } from "./Retries.ts"

const refusal = (status: number, retryAfter?: string) =>
  new Response("{}", { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } })

/** A server that answers so, one after the other, and then 200. */
const server = (...answers: ReadonlyArray<Response | Error>) => {
  const received: Array<{ readonly at: number; readonly key: string | null; readonly body: string }> = []
  const fetch = async (request: Request) => {
    const body = await request.text()
    const answer = answers[received.push({ at: Date.now(), key: request.headers.get("idempotency-key"), body }) - 1]
    if (answer instanceof Error) throw answer
    return answer ?? new Response("{}")
  }
  return { fetch, received }
}

const url = "http://127.0.0.1:9/v1/sources"

/** What comes of a request once all pauses are over. */
const settled = async <A>(promise: Promise<A>) => {
  const [outcome] = await Promise.all([Promise.allSettled([promise]), vi.runAllTimersAsync()])
  return outcome[0]!
}

describe("retrying", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("repeats a POST under one key of its own until it is taken", async () => {
    const { fetch, received } = server(refusal(503), new TypeError("fetch failed"), refusal(429))
    const request = new Request(url, { method: "POST", body: "{\"name\":\"a\"}" })
    const outcome = await settled(retrying(fetch, {})(request))
    assert.strictEqual(outcome.status === "fulfilled" ? outcome.value.status : outcome.reason, 200)
    assert.deepStrictEqual(received.map(({ body }) => body), Array.from({ length: 4 }, () => "{\"name\":\"a\"}"))
    assert.strictEqual(new Set(received.map(({ key }) => key)).size, 1)
    assert.match(String(received[0]?.key), /^[0-9a-f]{32}$/)
  })

  it("keeps the key that it is given, and gives each POST another", async () => {
    const { fetch, received } = server()
    const send = retrying(fetch, {})
    await send(new Request(url, { method: "POST", headers: { "idempotency-key": "mine" } }))
    await send(new Request(url, { method: "POST" }))
    await send(new Request(url, { method: "POST" }))
    await send(new Request(url))
    const [mine, one, other, none] = received.map(({ key }) => key)
    assert.deepStrictEqual([mine, none], ["mine", null])
    assert.notStrictEqual(one, other)
  })

  it("waits for as long as the server asks, in seconds or by a date, and asks itself where it says neither", async () => {
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 30_000).toUTCString()
    const { fetch, received } = server(refusal(429, "7"), refusal(503, "2.5"), refusal(503, date), refusal(503, "-5"))
    await settled(retrying(fetch, {})(new Request(url)))
    const [, ...pauses] = received.map(({ at }, index) => at - (received[index - 1]?.at ?? at))
    for (const [index, [least, most]] of [[7000, 7001], [2500, 2501], [19_000, 21_600], [2000, 2500]].entries()) {
      assert.isAtLeast(pauses[index]!, least!, `pause ${index}`)
      assert.isAtMost(pauses[index]!, most!, `pause ${index}`)
    }
  })

  it("repeats nothing for which the server asks for a longer pause than it may make", async () => {
    const { fetch, received } = server(refusal(429, "61"))
    const outcome = await settled(retrying(fetch, {})(new Request(url)))
    assert.strictEqual(outcome.status === "fulfilled" ? outcome.value.status : outcome.reason, 429)
    assert.lengthOf(received, 1)
  })

  it("gives up after as many times as it may, with what came last", async () => {
    const { fetch, received } = server(...Array.from({ length: 9 }, () => refusal(503)))
    const outcome = await settled(retrying(fetch, { times: 2 })(new Request(url)))
    assert.strictEqual(outcome.status === "fulfilled" ? outcome.value.status : outcome.reason, 503)
    assert.lengthOf(received, 3)
  })

  it("repeats no other refusal, and no request of which it can't be told whether it was done", async () => {
    for (const status of [400, 404, 409, 500, 502]) {
      const { fetch, received } = server(refusal(status))
      await settled(retrying(fetch, {})(new Request(url)))
      assert.lengthOf(received, 1, String(status))
    }
    const { fetch, received } = server(refusal(503))
    await settled(retrying(fetch, {})(new Request(url, { method: "PATCH" })))
    assert.lengthOf(received, 1)
  })

  it("ends a pause when it is aborted", async () => {
    const { fetch, received } = server(refusal(503, "30"))
    const controller = new AbortController()
    const outcome = Promise.allSettled([retrying(fetch, {})(new Request(url, { signal: controller.signal }))])
    await vi.advanceTimersByTimeAsync(1000)
    controller.abort(new Error("enough"))
    const [settled] = await outcome
    assert.strictEqual(settled.status === "rejected" ? settled.reason.message : undefined, "enough")
    await vi.runAllTimersAsync()
    assert.lengthOf(received, 1)
  })
})
