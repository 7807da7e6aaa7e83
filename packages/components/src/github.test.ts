import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import * as Endpoint from "../test/Endpoint.ts"
import * as VendorServer from "../test/VendorServer.ts"

const secret = "It's a Secret to Everybody"

const signatureOf = (body: string, key = secret) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`

const headersOf = (event: string, body: string, more: Record<string, string> = {}) => ({
  "content-type": "application/json",
  "x-github-event": event,
  "x-github-delivery": randomUUID(),
  "x-hub-signature-256": signatureOf(body),
  ...more
})

const opened = JSON.stringify(
  { action: "opened", issue: { title: "Übergröße 漢" }, repository: { full_name: "o/r" } },
  null,
  1
)

interface Webhook {
  readonly id: number
  readonly config: { readonly url: string; readonly secret: string }
  readonly events: ReadonlyArray<string>
}

/** Repositories' webhooks, as GitHub's API has them. */
const gitHub = Effect.gen(function*() {
  const reachable = yield* Endpoint.reachable
  let last = 0
  const webhooks = new Map<string, Webhook>()
  const pings: Array<number> = []
  const ping = async ({ config }: Webhook) => {
    const body = `{"zen":"Keep it logically awesome."}`
    const headers = headersOf("ping", body, { "x-hub-signature-256": signatureOf(body, config.secret) })
    pings.push((await fetch(reachable(config.url), { method: "POST", body, headers })).status)
  }
  const server = yield* VendorServer.make(async ({ body, headers, method, url }) => {
    if (headers["authorization"] !== "Bearer ghp_good") return { status: 401, body: { message: "Bad credentials" } }
    const [, path] = /^\/v3(\/repos\/o\/r\/hooks(?:\/\d+)?)$/.exec(url.pathname) ?? []
    if (path === undefined || (path.endsWith("/hooks") ? false : !webhooks.has(path))) return { status: 404 }
    if (method === "GET") return { body: [...webhooks.values()] }
    if (method === "DELETE") {
      webhooks.delete(path)
      return { status: 204 }
    }
    const given: Webhook = { ...JSON.parse(body), id: method === "POST" ? ++last : webhooks.get(path)!.id }
    if (method === "POST" && [...webhooks.values()].some(({ config }) => config.url === given.config.url)) {
      return { status: 422, body: { message: "Validation Failed" } }
    }
    webhooks.set(method === "POST" ? `${path}/${given.id}` : path, given)
    await ping(given)
    return { status: 201, body: given }
  })
  return { apiUrl: `${server.origin}/v3/`, webhooks, pings }
})

layer(Endpoint.layer, { excludeTestServices: true })("the GitHub webhook", (it) => {
  it.effect("emits what is signed, once for each delivery, and refuses all else", () =>
    Effect.gen(function*() {
      const source = yield* Endpoint.source("github", { secret })
      const delivery = randomUUID()
      const refused: ReadonlyArray<Record<string, string>> = [
        { "x-hub-signature-256": "" },
        { "x-hub-signature-256": signatureOf(opened, "another") },
        { "x-hub-signature-256": signatureOf(opened).slice(0, -1) },
        { "x-hub-signature-256": signatureOf(JSON.stringify(JSON.parse(opened))) },
        { "x-hub-signature-256": `sha1=${createHmac("sha1", secret).update(opened).digest("hex")}` }
      ]
      for (const more of refused) {
        assert.strictEqual(yield* source.post(opened, headersOf("issues", opened, more)), 401, JSON.stringify(more))
      }
      assert.strictEqual(yield* source.post("{}", headersOf("ping", "{}")), 200)
      for (const id of [delivery, delivery, randomUUID()]) {
        assert.strictEqual(yield* source.post(opened, headersOf("issues", opened, { "x-github-delivery": id })), 200)
      }
      const form = new URLSearchParams({ payload: opened }).toString()
      const sent = headersOf("issues", form, {
        "content-type": "Application/X-WWW-Form-URLEncoded ; charset=UTF-8"
      })
      assert.strictEqual(yield* source.post(form, sent), 200)
      const emitted = yield* source.emitted(3)
      assert.strictEqual(emitted.length, 3)
      assert.deepStrictEqual<unknown>(emitted[0]!.event, { id: delivery, event: "issues", payload: JSON.parse(opened) })
      Json.assertHolds(emitted[0]!.metadata, { id: delivery, summary: "issues opened o/r" })
      assert.deepStrictEqual<unknown>(emitted[2]!.event["payload"], JSON.parse(opened))
    }))

  it.effect("emits the events that are named alone", () =>
    Effect.gen(function*() {
      const source = yield* Endpoint.source("github", { secret, events: ["push", "ping"] })
      for (const event of ["issues", "ping", "push"]) {
        assert.strictEqual(yield* source.post("{}", headersOf(event, "{}")), 200)
      }
      const emitted = yield* source.emitted(2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event["event"]), ["ping", "push"])
    }))

  it.effect("adds its webhook to the repository, and removes it whenever it goes", () =>
    Effect.gen(function*() {
      const { apiUrl, pings, webhooks } = yield* gitHub
      const props = { apiUrl, secret, repository: "o/r", token: "ghp_good", events: ["push"] }
      const { http, id } = yield* Endpoint.source("github", props)
      const change = (body: unknown) => http.request("PUT", `/v1/sources/${id}`, { body })
      assert.deepStrictEqual([...webhooks.values()].map(({ events }) => events), [["push"]])
      // One that was not removed, as when the server was killed on the way, is taken over.
      const [path, orphan] = [...webhooks][0]!
      assert.strictEqual((yield* change({ active: false })).status, 200)
      assert.strictEqual(webhooks.size, 0)
      webhooks.set(path, orphan)
      const changed = yield* change({ active: true, configured_props: { events: null } })
      assert.strictEqual(changed.status, 200, changed.text)
      assert.deepStrictEqual([...webhooks.values()].map(({ events, id }) => [id, events]), [[1, ["*"]]])
      assert.deepStrictEqual(pings, [200, 200])
      assert.strictEqual((yield* http.request("DELETE", `/v1/sources/${id}`)).status, 204)
      assert.strictEqual(webhooks.size, 0)
    }))

  it.effect("is refused where GitHub refuses, or what is set can't do", () =>
    Effect.gen(function*() {
      const { apiUrl, webhooks } = yield* gitHub
      const repository = "o/r"
      const bad = yield* Endpoint.refusal("github", { apiUrl, secret, repository, token: "ghp_bad" })
      assert.include(bad, "GitHub answered 401 to GET /repos/o/r/hooks")
      assert.include(bad, "Bad credentials")
      assert.include(yield* Endpoint.refusal("github", { secret, repository }), "token")
      assert.include(yield* Endpoint.refusal("github", { secret, repository: "r", token: "t" }), "owner/name")
      assert.include(yield* Endpoint.refusal("github", { secret: "" }), "secret is empty")
      assert.strictEqual(webhooks.size, 0)
    }))
})
