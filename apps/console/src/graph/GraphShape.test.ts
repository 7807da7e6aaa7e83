import { assert, describe, it } from "@effect/vitest"
import type { GraphEdge, GraphNode, WholeGraph } from "./Graph.ts"
import { mostStops, shapeOf, type ShapeOptions } from "./GraphShape.ts"

const types: Readonly<Record<string, GraphNode["type"]>> = { dc: "source", p: "workflow", wh: "webhook", u: "account" }

const node = (id: string): GraphNode => ({
  id,
  type: types[id.split("_")[0]!]!,
  name: null,
  active: true,
  state: "ok",
  waiting: 0,
  pending: 0,
  emitted: 0,
  done: 0,
  failed: 0
})

const graph = (ids: ReadonlyArray<string>, ties: ReadonlyArray<readonly [string, string]>): WholeGraph => ({
  nodes: ids.map(node),
  edges: ties.map(([emitter_id, listener_id], index) => ({
    subscription_id: `sub_${index}` as GraphEdge["subscription_id"],
    emitter_id,
    is_glob: emitter_id.includes("*"),
    listener_id,
    event_name: "",
    is_filtered: false,
    waiting: 0
  })),
  isCut: false
})

const options: ShapeOptions = { grouping: undefined, focus: undefined, hops: 1, open: new Set(), heard: undefined }

const keys = (whole: WholeGraph, changes: Partial<ShapeOptions>): ReadonlyArray<string> =>
  shapeOf(whole, { ...options, ...changes }).stops.map(({ key }) => key).sort()

const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}_${1_000 + index}`)

describe("the shape of a graph", () => {
  it("draws nodes as one that hear the same, unless they are asked for one by one", () => {
    const hooks = many(5, "wh")
    const whole = graph(["dc_1", "dc_2", ...hooks], [
      ...hooks.map((id) => ["dc_1", id] as const),
      ["dc_2", "wh_1004"]
    ])
    assert.deepStrictEqual(keys(whole, {}), ["dc_1", "dc_2", ...hooks])
    assert.deepStrictEqual(keys(whole, { grouping: "same" }), ["dc_1", "dc_2", "group:wh_1000", "wh_1004"])
    assert.deepStrictEqual(keys(whole, { grouping: "same", open: new Set(["wh_1002"]) }), ["dc_1", "dc_2", ...hooks])
    const { lines } = shapeOf(whole, { ...options, grouping: "same" })
    assert.strictEqual(lines.find(({ to }) => to === "group:wh_1000")?.subscriptions.length, 4)
  })

  it("draws few stops of a thousand nodes, and each node and subscription once", () => {
    const [sources, workflows, hooks] = [many(200, "dc"), many(200, "p"), many(600, "wh")]
    const whole = graph([...sources, ...workflows, ...hooks, "u_1"], [
      ...sources.map((id, index) => [id, workflows[index * 7 % 200]!] as const),
      ...hooks.map((id, index) => [workflows[index * 11 % 200]!, id] as const),
      ...hooks.filter((_, index) => index % 4 === 0).map((id, index) => [sources[index * 17 % 200]!, id] as const)
    ])
    const { lines, stops } = shapeOf(whole, options)
    assert.isAtMost(stops.length, mostStops)
    assert.isAbove(stops.length, 3)
    assert.deepStrictEqual(stops.flatMap(({ ids }) => ids).sort(), [...sources, ...workflows, ...hooks].sort())
    assert.deepStrictEqual(
      lines.flatMap(({ subscriptions }) => subscriptions).sort(),
      whole.edges.map(({ subscription_id }) => subscription_id).sort()
    )
  })

  it("draws what is around a node up to some hops, over globs, and what a glob hears when that is asked for", () => {
    const whole = graph(["dc_1", "dc_2", "dc_3", "p_1", "wh_1", "wh_2", "wh_3"], [
      ["dc_1", "p_1"],
      ["p_1", "wh_1"],
      ["dc_2", "wh_2"],
      ["dc_*", "wh_3"]
    ])
    assert.deepStrictEqual(keys(whole, { focus: "dc_1" }), ["dc_*", "dc_1", "p_1", "wh_3"])
    assert.deepStrictEqual(keys(whole, { focus: "dc_1", hops: 2 }), ["dc_*", "dc_1", "p_1", "wh_1", "wh_3"])
    assert.deepStrictEqual(keys(whole, { focus: "wh_3" }), ["dc_*", "wh_3"])
    const heard = { glob: "dc_*", emitters: ["dc_1", "dc_2", "dc_3"] }
    assert.deepStrictEqual(keys(whole, { focus: "wh_3", heard }), ["dc_*", "dc_1", "dc_2", "dc_3", "wh_3"])
    const matched = shapeOf(whole, { ...options, heard }).lines.filter(({ to }) => to === "dc_*")
    assert.deepStrictEqual(matched.map(({ from, subscriptions }) => [from, subscriptions.length]), [
      ["dc_1", 0],
      ["dc_2", 0],
      ["dc_3", 0]
    ])
  })
})
