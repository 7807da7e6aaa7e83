/** Things by what people call them: an id, a name slug, a name. */
import * as NearestNames from "@headwater/domain/NearestNames"
import { Effect, Predicate } from "effect"
import { CommandRefused } from "../CommandRefused.ts"
import * as ApiGroup from "./ApiGroup.ts"
import * as Kind from "./Kind.ts"

export interface Found {
  readonly kind: Kind.Kind
  readonly id: string
}

/** The texts by which a thing can be called. */
const namesOf = (thing: ApiGroup.Thing): ReadonlyArray<string> =>
  ["name_slug", "name", "key"].flatMap((field) => {
    const value = thing[field]
    return Predicate.isString(value) && value !== "" ? [value] : []
  })

const listOf = ({ group }: Kind.Kind) => group === "subscriptions" ? ApiGroup.whole(group) : ApiGroup.list(group)

const or = (texts: ReadonlyArray<string>): string => texts.join(" or ")

const unknown = (kinds: ReadonlyArray<Kind.Kind>, text: string, names: ReadonlyArray<string>) => {
  const near = NearestNames.of(text, names)
  const lists = kinds.map(({ command }) => `\`headwater ${command} list\``)
  return new CommandRefused({
    message: `There is no ${or(kinds.map(({ one }) => one))} ${JSON.stringify(text)}. ` +
      (near.length > 0
        ? `Did you mean ${or(near)}?`
        : `${lists.join(" and ")} ${lists.length === 1 ? "lists" : "list"} yours`)
  })
}

const slug = /^[a-z0-9-]+$/

/** The first of these kinds of which the server itself knows a thing by that slug. */
const bySlugOf = (kinds: ReadonlyArray<Kind.Kind>, text: string) =>
  Effect.gen(function*() {
    for (const kind of slug.test(text) ? kinds.filter(({ hasSlugs }) => hasSlugs) : []) {
      const thing = yield* ApiGroup.one(kind.group, "get", { params: { id: text }, query: {} }).pipe(
        Effect.catchTag("NotFoundProblem", () => Effect.undefined)
      )
      if (thing !== undefined) return { kind, id: thing.id } satisfies Found as Found
    }
    return undefined
  })

/** The thing of one of these kinds that a text names. A name that several have is refused, unless it is the slug of one. */
export const find = Effect.fnUntraced(function*(kinds: ReadonlyArray<Kind.Kind>, text: string) {
  const byId = kinds.find((kind) => Kind.isIdOf(kind, text))
  if (byId !== undefined) return { kind: byId, id: text } satisfies Found as Found
  const named = yield* bySlugOf(kinds, text)
  if (named !== undefined) return named
  const lists = yield* Effect.forEach(
    kinds,
    (kind) => Effect.map(listOf(kind), (things) => things.map((thing) => ({ kind, thing }))),
    { concurrency: "unbounded" }
  )
  const all = lists.flat()
  const called = all.filter(({ thing }) => namesOf(thing).includes(text))
  // Versions of a component have one key: the newest stands first.
  const bySlug = called.find(({ thing }) => thing["name_slug"] === text || thing["key"] === text)
  const [only, ...others] = bySlug === undefined ? called : [bySlug]
  if (only === undefined) return yield* unknown(kinds, text, all.flatMap(({ thing }) => namesOf(thing)))
  if (others.length > 0) {
    return yield* new CommandRefused({
      message: `Several have the name ${JSON.stringify(text)}; give the id of one: ` +
        called.map(({ kind, thing }) => `${thing.id} (${kind.one})`).join(", ")
    })
  }
  return { kind: only.kind, id: only.thing.id } satisfies Found as Found
})

/** The id of the thing of a kind that a text names. */
export const idOf = (kind: Kind.Kind, text: string) => Effect.map(find([kind], text), ({ id }) => id)

/** An emitter's id, or a glob over ids as it stands. */
export const emitterOrGlob = (text: string) =>
  /[*?]/.test(text) ? Effect.succeed(text) : Effect.map(find(Kind.emitters, text), ({ id }) => id)

/** People's names of things by their ids, of all kinds that the ids are of. */
export const namesById = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const kinds = [Kind.source, Kind.workflow, Kind.webhook].filter((kind) => ids.some((id) => Kind.isIdOf(kind, id)))
  const lists = yield* Effect.forEach(kinds, listOf, { concurrency: "unbounded" })
  return new Map(lists.flat().flatMap((thing) => namesOf(thing).slice(0, 1).map((name) => [thing.id, name] as const)))
})

export type NamesById = ReadonlyMap<string, string>
