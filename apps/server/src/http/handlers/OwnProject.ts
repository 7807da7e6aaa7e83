import { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import { Projects } from "@headwater/log/resources/Projects"
import { Effect, Option } from "effect"

/** Finds what a path names: the account's own project, by its id, name or slug. */
export const makeFind = Effect.map(
  Projects,
  (projects) =>
    Effect.fnUntraced(function*(reference: string) {
      const found = yield* projects.get(yield* CurrentAccount, reference)
      return Option.isNone(found) ? yield* Problem.notFound("project", reference) : found.value
    })
)

const unsaid: { readonly projectId?: never } = {}

/** The project that a request gives: nothing, its id, or null for none. */
export const makeGiven = Effect.map(
  makeFind,
  (find) =>
    Effect.fnUntraced(function*({ project_id }: { readonly project_id?: string | null }) {
      if (typeof project_id === "string") return { projectId: (yield* find(project_id)).id }
      return project_id === undefined ? unsaid : { projectId: project_id }
    })
)
