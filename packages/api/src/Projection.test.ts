import { assert, describe, it } from "@effect/vitest"
import { project } from "./Projection.ts"

const item = { id: "a", name: "n", props: { url: "u", list: [{ x: 1, y: 2 }, { x: 3 }] }, none: null }

const projected = (include: string | undefined, exclude?: string) => project({ data: item }, { include, exclude })

describe("Projection", () => {
  it("keeps everything without parameters, or with empty ones", () => {
    assert.deepStrictEqual(projected(undefined), { data: item })
    assert.deepStrictEqual(projected("", " , "), { data: item })
  })

  it("keeps the fields included, in the order they had, through dotted paths and arrays", () => {
    assert.deepStrictEqual(projected("props.list.x, id"), { data: { id: "a", props: { list: [{ x: 1 }, { x: 3 }] } } })
    assert.deepStrictEqual(projected("none,name"), { data: { name: "n", none: null } })
  })

  it("leaves out the fields excluded, which wins over include", () => {
    assert.deepStrictEqual(projected(undefined, "props,none"), { data: { id: "a", name: "n" } })
    assert.deepStrictEqual(projected("id,props", "props.list.y,props.url"), {
      data: { id: "a", props: { list: [{ x: 1 }, { x: 3 }] } }
    })
    assert.deepStrictEqual(projected("id,name", "id"), { data: { name: "n" } })
  })

  it("ignores unknown names", () => {
    assert.deepStrictEqual(projected("id,nope,name.deeper", "nope.deeper"), { data: { id: "a", name: "n" } })
    assert.deepStrictEqual(projected("constructor,__proto__"), { data: {} })
  })

  it("projects each item of a list and leaves what surrounds data", () => {
    assert.deepStrictEqual(
      project({ page_info: { count: 2 }, data: [item, item] }, { include: "id", exclude: undefined }),
      { page_info: { count: 2 }, data: [{ id: "a" }, { id: "a" }] }
    )
  })
})
