import { assert, describe, it } from "vitest"
import { items, type Page, pages, type Place } from "./Pages.ts"

/** A list of these pages, and what was asked for. */
const list = (...all: ReadonlyArray<Page<number>>) => {
  const asked: Array<string | undefined> = []
  const ask = async ({ after }: Place) => {
    asked.push(after)
    return all[after === undefined ? 0 : all.findIndex(({ page_info }) => page_info.end_cursor === after) + 1]!
  }
  return { ask, asked }
}

const counted = (end_cursor: string, ...data: Array<number>) => ({ page_info: { end_cursor }, data })

const open = (end_cursor: string, has_more: boolean, ...data: Array<number>) => ({
  page_info: { end_cursor, has_more },
  data
})

describe("items", () => {
  it("brings all of a counted list, which an empty page ends, however few are on a page", async () => {
    const { ask, asked } = list(counted("a", 1, 2), counted("b", 3), counted(""))
    assert.deepStrictEqual(await Array.fromAsync(items(ask)), [1, 2, 3])
    assert.deepStrictEqual(asked, [undefined, "a", "b"])
  })

  it("goes over empty pages of a list that is not counted, and ends where it says so", async () => {
    const { ask, asked } = list(open("a", true, 1), open("b", true), open("c", false, 2))
    assert.deepStrictEqual(await Array.fromAsync(items(ask)), [1, 2])
    assert.deepStrictEqual(asked, [undefined, "a", "b"])
  })

  it("asks for no page that nobody comes to", async () => {
    const { ask, asked } = list(open("a", true, 1, 2), open("b", false, 3))
    for await (const item of items(ask)) if (item === 2) break
    assert.deepStrictEqual(asked, [undefined])
  })
})

describe("pages", () => {
  it("brings whole pages", async () => {
    const { ask } = list(open("a", true, 1, 2), open("b", false, 3))
    const found = await Array.fromAsync(pages(ask), ({ data, page_info }) => [page_info.end_cursor, ...data])
    assert.deepStrictEqual(found, [["a", 1, 2], ["b", 3]])
  })
})
