import type { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import * as ListItems from "@headwater/api/ListItems"
import { Effect, Stream } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"

type Client = HeadwaterClient["Service"]

type ListError = Effect.Error<ReturnType<Client["sources"]["list"]> | ReturnType<Client["workflows"]["list"]>>

export type Kind = "source" | "workflow"

/** The fields by which one is told from the others. */
export interface Named {
  readonly id: string
  readonly name: string
  readonly name_slug: string
  /** The component that a source runs. */
  readonly component_id?: string
}

const all = Effect.fnUntraced(function*(kind: Kind) {
  const { call } = yield* ApiAccess
  return yield* call(({ sources, workflows }) => {
    const ofKind: Stream.Stream<Named, ListError> = kind === "source"
      ? ListItems.items((place) => sources.list({ query: { limit: 100, ...place } }))
      : ListItems.items((place) => workflows.list({ query: { limit: 100, ...place } }))
    return Stream.runCollect(ofKind)
  })
})

/** The source or workflow of that name, or else of that name slug. Refuses a name that several have. */
export const find = Effect.fnUntraced(function*(kind: Kind, name: string) {
  const programs = yield* all(kind)
  const named = programs.filter((program) => program.name === name)
  if (named.length === 1) return named[0]
  const bySlug = programs.find((program) => program.name_slug === name)
  if (bySlug === undefined && named.length > 1) {
    return yield* new CommandRefused({
      message: `Several ${kind}s have the name ${JSON.stringify(name)}; choose one by its slug: ` +
        named.map(({ name_slug }) => `--name ${name_slug}`).join(", ")
    })
  }
  return bySlug
})
