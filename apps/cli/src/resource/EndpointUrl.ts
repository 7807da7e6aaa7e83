import { Predicate } from "effect"

/** The URL at which the HTTP interface of a source or workflow answers, of its props; null if it has none. */
export const of = (props: Readonly<Record<string, unknown>>): string | null =>
  Object.values(props)
    .map((value) => Predicate.isObject(value) ? Reflect.get(value, "endpoint_url") : undefined)
    .find(Predicate.isString) ?? null
