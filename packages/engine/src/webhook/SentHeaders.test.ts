import { assert, it } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import type { Attempt } from "@headwater/log/work/Attempts"
import * as SentHeaders from "./SentHeaders.ts"

const facts: SentHeaders.Facts = {
  attempt: 2,
  emitId: "e1",
  emitterId: "p_1",
  eventId: EventId.make(1_760_000_120_000, 0),
  startedAt: 1_760_000_125_400,
  stream: "$sends",
  subscriptionId: "sub_1"
}

const own = { "user-agent": "Headwater/1", "webhook-signature": "v1,a v1,b", "x-headwater-hops": "3" }

/** What is shown of a request that was sent with these headers to this URL. */
const shown = (url: string, own: SentHeaders.OwnHeaders) =>
  SentHeaders.shown({ ...facts, requestHeaders: SentHeaders.kept(SentHeaders.ofUrl(url), own) } as Attempt)

it("the headers of an attempt are shown as they were sent, with a mask for secrets", () => {
  const requests: ReadonlyArray<readonly [url: string, own: SentHeaders.OwnHeaders, secrets: ReadonlyArray<string>]> = [
    ["https://a.example:8443/x", own, []],
    ["https://a.example/", { ...own, accept: "*/*" }, []],
    ["https://ann:pw@a.example/", { ...own, accept: "*/*" }, ["authorization"]],
    ["https://a.example/", { ...own, accept: "text/plain" }, []],
    ["https://a.example/", { ...own, "user-agent": "An Agent" }, []],
    ["https://ann:pw@a.example/", own, ["authorization"]],
    [
      "https://a.example/",
      { ...own, "content-type": null, authorization: "Bearer s", "x-api-key": "k", "x-a": "b c" },
      [
        "authorization",
        "x-api-key"
      ]
    ]
  ]
  for (const [url, own, secrets] of requests) {
    const sent = { ...SentHeaders.all(facts, own), host: new URL(url).host }
    assert.deepStrictEqual(shown(url, own), { ...sent, ...Object.fromEntries(secrets.map((name) => [name, "***"])) })
  }
})

it("of very long headers those of the server alone are kept", () => {
  const found = shown("https://a.example/", { ...own, "x-long": "x".repeat(20_000) })
  assert.deepStrictEqual(found, { ...SentHeaders.all(facts, own), host: "a.example" })
})
