import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, type Client, ContractServer, type It } from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const cursorOf = (id: string): string => Buffer.from(id).toString("base64url")

/** A page, with what must hold of any checked: its cursors name its ends. */
const page = Effect.fnUntraced(function*(client: Client, path: string, parameters: Record<string, string>) {
  const query = new URLSearchParams(parameters).toString()
  const { json } = yield* client.send("GET", `${path}?${query}`)
  assert.hasAllKeys(json, ["page_info", "data"])
  const ids = Json.listOf(json["data"]).map(idOf)
  const { count, end_cursor, start_cursor, total_count } = json["page_info"]!
  assert.strictEqual(Number(count), ids.length)
  assert.deepStrictEqual<unknown>(
    [start_cursor, end_cursor],
    ids.length === 0 ? ["", ""] : [cursorOf(ids[0]!), cursorOf(ids.at(-1)!)]
  )
  return { ids, total: Number(total_count) }
})

/** Walks a list to its end, and does something after its first page. */
const walk = Effect.fnUntraced(function*(
  client: Client,
  path: string,
  limit: number,
  direction: "after" | "before",
  meanwhile: Effect.Effect<unknown> = Effect.void
) {
  const all: Array<string> = []
  let { ids } = yield* page(client, path, {
    limit: String(limit),
    ...(direction === "before" ? { before: oldest } : {})
  })
  yield* meanwhile
  while (ids.length > 0) {
    all.push(...(direction === "after" ? ids : ids.toReversed()))
    const cursor = cursorOf(all.at(-1)!)
    ids = (yield* page(client, path, { limit: String(limit), [direction]: cursor })).ids
  }
  return all
})

/** Stands before the end of any list of webhooks. */
const oldest = cursorOf(`wh_${"0".repeat(20)}`)

const webhook = (client: Client) => Effect.map(client.ok("POST", "/webhooks?url=http://127.0.0.1:9/"), idOf)

const webhooks = (client: Client, count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => webhook(client)),
    (ids) => ids.toReversed()
  )

const lists = ["/users/me/sources", "/users/me/webhooks", "/users/me/auto_subscriptions", "/users/me/keys", "/accounts"]

/** rest-api.md, "Pagination parameters", "Envelopes" and "Limits"; decisions.md, cursors. */
export const rows = (it: It): void => {
  it.effect("lists have 10 items a page, or as many as limit says, newest first", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("pages")
      const path = "/users/me/webhooks"
      assert.deepStrictEqual(yield* page(client, path, {}), { ids: [], total: 0 })
      const ids = yield* webhooks(client, 12)
      assert.deepStrictEqual(yield* page(client, path, {}), { ids: ids.slice(0, 10), total: 12 })
      for (const limit of [1, 11, 100]) {
        assert.deepStrictEqual(yield* page(client, path, { limit: String(limit) }), {
          ids: ids.slice(0, limit),
          total: 12
        })
      }
      const [first, , third, fourth, , , seventh] = ids
      const between = { after: cursorOf(first!), before: cursorOf(seventh!) }
      assert.deepStrictEqual((yield* page(client, path, between)).ids, ids.slice(1, 6))
      assert.deepStrictEqual((yield* page(client, path, { ...between, limit: "2" })).ids, ids.slice(1, 3))
      assert.deepStrictEqual(
        (yield* page(client, path, { before: cursorOf(fourth!), limit: "2" })).ids,
        ids.slice(1, 3)
      )
      assert.deepStrictEqual((yield* page(client, path, { after: cursorOf(third!), limit: "2" })).ids, ids.slice(3, 5))
      for (const limit of [1, 5, 12]) {
        assert.deepStrictEqual(yield* walk(client, path, limit, "after"), ids)
        assert.deepStrictEqual(yield* walk(client, path, limit, "before"), ids.toReversed())
      }
    }))

  it.effect("a walk neither skips nor repeats what is there all the time, whatever comes and goes meanwhile", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("walker")
      const ids = yield* webhooks(client, 10)
      const remove = (id: string) => client.send("DELETE", `/webhooks/${id}`)
      // The page's last item, whose cursor the walk goes on from, is one of those that go.
      const gone = [ids[2]!, ids[5]!]
      const disturb = Effect.andThen(Effect.forEach(gone, remove), webhook(client))
      const walked = yield* walk(client, "/users/me/webhooks", 3, "after", disturb)
      assert.deepStrictEqual(walked, ids.filter((id) => id !== ids[5]))
    }))

  it.effect("limits out of 1 to 100, cursors of another list and parameters given twice are refused", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      for (const path of lists) {
        for (const limit of ["0", "101", "-1", "1.5", "1e9", "ten", ""]) {
          assertInvalid(yield* ann.send("GET", `${path}?limit=${limit}`), "limit")
        }
        for (const limit of ["1", "100"]) {
          assert.strictEqual((yield* ann.send("GET", `${path}?limit=${limit}`)).status, 200)
        }
        for (
          const cursor of ["", "!", "dc_0Uz7Me6SAe7TzXw9LrNf", cursorOf("sub_0Uz7MtS4Bn6RwSe2MxDa"), cursorOf("x")]
        ) {
          assertInvalid(yield* ann.send("GET", `${path}?after=${cursor}`), "after")
          assertInvalid(yield* ann.send("GET", `${path}?before=${cursor}`), "before")
        }
        assertInvalid(yield* ann.send("GET", `${path}?limit=1&limit=2`), "limit")
        assertInvalid(yield* ann.send("GET", `${path}?limit=0&after=x`), "limit", "after")
      }
    }))

  it.effect("cursors are the unpadded base64url of the item's id", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      assert.strictEqual(cursorOf("dc_K0uAee"), "ZGNfSzB1QWVl")
      yield* ann.ok("POST", "/sources", { component_code: "export default { run() {} }" })
      const { ids } = yield* page(ann, "/users/me/sources/", { limit: "1" })
      assert.lengthOf(ids, 1)
    }))
}
