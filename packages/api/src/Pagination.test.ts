import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import * as Pagination from "./Pagination.ts"

const Query = Schema.Struct(Pagination.query("source"))
const read = (query: unknown) => Schema.decodeUnknownExit(Query)(query)

describe("Pagination", () => {
  it("names items by unpadded base64url of their id", () => {
    assert.strictEqual(Pagination.cursorOf("dc_K0uAee"), "ZGNfSzB1QWVl")
  })

  const Body = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9A-Za-z]{1,40}$/)))

  it.prop("reads back the id that a cursor was made of, whatever its length", [Body], ([body]) => {
    const id = `dc_${body}`
    assert.deepStrictEqual(read({ after: Pagination.cursorOf(id) }), Exit.succeed({ after: id }))
  })

  it("refuses what is no cursor of the list", () => {
    const wrong = [
      "",
      "dc_K0uAee",
      "ZGNfSzB1QWVl=",
      "ZGNfSzB1QWVl\n",
      Pagination.cursorOf("wh_K0uAee"),
      Pagination.cursorOf("dc_"),
      Pagination.cursorOf("dc_K0u Aee"),
      Pagination.cursorOf("dc_K0u\u0000")
    ]
    for (const after of wrong) assert.isTrue(Exit.isFailure(read({ after })), JSON.stringify(after))
  })

  it("holds the limit to 1 to 100", () => {
    for (const limit of [0, 101, 1.5, Number.NaN]) assert.isTrue(Exit.isFailure(read({ limit })), String(limit))
    for (const limit of [1, 100]) assert.deepStrictEqual(read({ limit }), Exit.succeed({ limit }))
  })

  it("tells of an empty page with empty cursors", () => {
    assert.deepStrictEqual(Pagination.pageInfo([], 3), {
      total_count: 3,
      count: 0,
      start_cursor: "",
      end_cursor: ""
    })
  })
})
