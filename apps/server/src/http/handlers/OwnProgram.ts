import { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import type { ProgramNotFound } from "@headwater/engine/ActorCalls"
import { type ProgramKind, Programs } from "@headwater/log/resources/Programs"
import { Effect, Option } from "effect"

/** Finds what a path names: the account's own source or workflow, by its id or its slug. */
export const makeFind = Effect.map(
  Programs,
  (programs) =>
    Effect.fnUntraced(function*(kind: ProgramKind, idOrSlug: string) {
      const found = yield* programs.get(yield* CurrentAccount, idOrSlug, kind)
      return Option.isNone(found) ? yield* Problem.notFound(kind, idOrSlug) : found.value
    })
)

/** Answers that what a path names was deleted meanwhile as if it had not been found. */
export const answerGone =
  (kind: ProgramKind, idOrSlug: string) => <A, E, R>(effect: Effect.Effect<A, E | ProgramNotFound, R>) =>
    Effect.catchTag(effect, "ProgramNotFound", () => Effect.fail(Problem.notFound(kind, idOrSlug)))
