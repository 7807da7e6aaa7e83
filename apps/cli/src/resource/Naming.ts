/** Things by what people call them: an id, a name slug, a name. */
import { prefixes } from "@headwater/domain/Id"
import * as NearestNames from "@headwater/domain/NearestNames"
import { Effect, Option, Predicate } from "effect"
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

/** Texts in a sentence. */
const listed = (texts: ReadonlyArray<string>, word: "and" | "or"): string =>
  texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1)}`

const unknown = (
  kinds: ReadonlyArray<Kind.Kind>,
  text: string,
  things: ReadonlyArray<ApiGroup.Thing>,
  others: ReadonlyArray<string>
) => {
  // One is meant once, though its name and its slug are both near.
  const called = (name: string) => things.find((thing) => namesOf(thing).includes(name)) ?? name
  const near = NearestNames.of(text, [...things.flatMap(namesOf), ...others]).filter((name, index, all) =>
    all.findIndex((other) => called(other) === called(name)) === index
  )
  const lists = kinds.map(({ command }) => `\`headwater ${command} list\``)
  return new CommandRefused({
    message: `There is no ${listed(kinds.map(({ one }) => one), "or")} ${JSON.stringify(text)}. ` +
      (near.length > 0
        ? `Did you mean ${listed(near, "or")}?`
        : `${listed(lists, "and")} ${lists.length === 1 ? "lists" : "list"} yours`)
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

/**
 * The thing of one of these kinds that a text names. A name that several have is refused, unless it is the slug of one.
 *
 * @param others what else the text may have meant, that is no thing
 */
export const find = Effect.fnUntraced(function*(
  kinds: ReadonlyArray<Kind.Kind>,
  text: string,
  others: ReadonlyArray<string> = []
) {
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
  const [only, ...more] = bySlug === undefined ? called : [bySlug]
  if (only === undefined) return yield* unknown(kinds, text, all.map(({ thing }) => thing), others)
  if (more.length > 0) {
    return yield* new CommandRefused({
      message: `Several have the name ${JSON.stringify(text)}; give the id of one: ` +
        called.map(({ kind, thing }) => `${thing.id} (${kind.one})`).join(", ")
    })
  }
  return { kind: only.kind, id: only.thing.id } satisfies Found as Found
})

/** The id of the thing of a kind that a text names. */
export const idOf = (kind: Kind.Kind, text: string) => Effect.map(find([kind], text), ({ id }) => id)

/** The account emits events of its own. */
const isAccount = new RegExp(`^${prefixes.account}_[0-9A-Za-z]+$`)

/** The field of a request for the thing that a flag names, where it is given. */
export const fieldOf = <const Name extends string>(
  name: Name,
  kinds: ReadonlyArray<Kind.Kind>,
  text: Option.Option<string>
) =>
  Option.isNone(text)
    ? Effect.succeed({})
    : Effect.map(
      isAccount.test(text.value) && kinds === Kind.emitters
        ? Effect.succeed({ id: text.value })
        : find(kinds, text.value),
      ({ id }) => ({ [name]: id }) as { readonly [N in Name]: string }
    )

/** An emitter's id; a glob over ids, or the account's own id, as it stands. */
export const emitterOrGlob = (text: string) =>
  /[*?]/.test(text) || isAccount.test(text)
    ? Effect.succeed(text)
    : Effect.map(find(Kind.emitters, text), ({ id }) => id)

/** People's names of things by their ids, of all kinds that the ids are of. */
export const namesById = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
  const kinds = [Kind.source, Kind.workflow, Kind.webhook].filter((kind) => ids.some((id) => Kind.isIdOf(kind, id)))
  const lists = yield* Effect.forEach(kinds, listOf, { concurrency: "unbounded" })
  return new Map(lists.flat().flatMap((thing) => namesOf(thing).slice(0, 1).map((name) => [thing.id, name] as const)))
})

export type NamesById = ReadonlyMap<string, string>
