import type { JsonDocument } from "./JsonDocument.ts"

export const comparisons = [
  "$eq",
  "$neq",
  "$gt",
  "$gte",
  "$lt",
  "$lte",
  "$in",
  "$nin",
  "$startsWith",
  "$endsWith"
] as const

/** An operator that compares two values. */
export type Comparison = typeof comparisons[number]

/** The key by which a filter asks for the event's metadata. */
export const metadataKey = "$metadata"

/** A value that is neither a list nor an object. */
export type Primitive = string | number | boolean | null

/**
 * A place in the event that a value is compared with: names, numbers in lists, and `$index` for the element that is
 * judged.
 */
export type Reference = ReadonlyArray<string | number | { readonly nth: number }>

/** One part of a filter, compiled. `path` is its place in the filter. */
export type Clause =
  | { readonly _tag: "Equals"; readonly path: string; readonly value: Primitive }
  | { readonly _tag: "Contains"; readonly path: string; readonly items: ReadonlyArray<Clause> }
  | {
    readonly _tag: "Compares"
    readonly path: string
    readonly by: Comparison
    readonly operand: { readonly literal: JsonDocument } | { readonly reference: Reference }
  }
  | { readonly _tag: "Exists"; readonly path: string; readonly wanted: boolean }
  | { readonly _tag: "Any" | "All"; readonly path: string; readonly clauses: ReadonlyArray<Clause> }
  | { readonly _tag: "Not"; readonly path: string; readonly clause: Clause }
  /** If the value is a list, one of its elements must meet it. */
  | { readonly _tag: "Element"; readonly path: string; readonly clause: Clause }
  | { readonly _tag: "Fields"; readonly path: string; readonly fields: ReadonlyArray<readonly [string, Clause]> }
  | { readonly _tag: "Metadata"; readonly path: string; readonly clause: Clause }
