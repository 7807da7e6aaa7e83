import * as ExactJson from "@headwater/domain/ExactJson"
import { Predicate, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"

/** Each name becomes a node of a tree, so a list is bounded. */
const List = Schema.String.pipe(Schema.check(Schema.isMaxLength(4_096)))

/**
 * The parameters `include` and `exclude` (rest-api.md, "Common parameters"; decisions.md, "Conventions"): names or
 * dotted paths, comma-separated, matched against the fields of each item in `data`.
 */
export const fields = {
  include: Schema.optionalKey(List.annotate({
    description: "Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."
  })),
  exclude: Schema.optionalKey(List.annotate({
    description: "Comma-separated list of response fields to leave out; overrides include. Default: none."
  }))
}

/** Cuts the `data` of answers down to the fields asked for. */
export class Projection extends HttpApiMiddleware.Service<Projection>()("@headwater/api/Projection") {}

export interface Selection {
  readonly include: string | undefined
  readonly exclude: string | undefined
}

interface Tree extends Map<string, Tree> {}

const treeOf = (list: string | undefined): Tree => {
  const root: Tree = new Map()
  for (const path of (list ?? "").split(",").map((path) => path.trim()).filter((path) => path !== "")) {
    let node = root
    for (const name of path.split(".")) {
      let next = node.get(name)
      if (next === undefined) {
        next = new Map()
        node.set(name, next)
      }
      node = next
    }
  }
  return root
}

const includeFrom = (value: Schema.Json, tree: Tree): Schema.Json => {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map((item: Schema.Json) => includeFrom(item, tree))
  if (!Predicate.isObject(value) || ExactJson.isRaw(value)) return value
  return Object.fromEntries(
    Object.entries(value as Schema.JsonObject)
      .filter(([name]) => tree.has(name))
      .map(([name, field]) => [name, includeFrom(field, tree.get(name)!)])
  )
}

const excludeFrom = (value: Schema.Json, tree: Tree): Schema.Json => {
  if (Array.isArray(value)) return value.map((item: Schema.Json) => excludeFrom(item, tree))
  if (!Predicate.isObject(value) || ExactJson.isRaw(value)) return value
  return Object.fromEntries(
    Object.entries(value as Schema.JsonObject)
      .filter(([name]) => tree.get(name)?.size !== 0)
      .map(([name, field]) => {
        const rest = tree.get(name)
        return [name, rest === undefined ? field : excludeFrom(field, rest)]
      })
  )
}

/** Projects one item, or a list of them. Arrays on the way are projected item by item. */
export const projectItem = (item: Schema.Json, { exclude, include }: Selection): Schema.Json =>
  excludeFrom(includeFrom(item, treeOf(include)), treeOf(exclude))

/** Projects the items of an answer's `data`; what surrounds them stays. Arrays on the way are projected item by item. */
export const project = (answer: Schema.Json, selection: Selection): Schema.Json => {
  if (!Predicate.isObject(answer) || !("data" in answer)) return answer
  const data = answer.data as Schema.Json
  return {
    ...(answer as Schema.JsonObject),
    data: projectItem(data, selection)
  }
}
