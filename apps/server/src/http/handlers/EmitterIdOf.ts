import * as Problem from "@headwater/api/Problem"
import type * as Id from "@headwater/domain/Id"
import { Programs } from "@headwater/log/resources/Programs"
import { Effect, Option } from "effect"

/** The id of an emitter that a client gives by its id or slug; as given, where the account has none of that name. */
export const makeEmitterId = Effect.map(
  Programs,
  (programs) =>
    Effect.fnUntraced(function*(accountId: Id.AccountId, idOrSlug: string) {
      if (idOrSlug === accountId) return idOrSlug as string
      const program = yield* programs.get(accountId, idOrSlug)
      return Option.match(program, { onNone: () => idOrSlug, onSome: ({ id }) => id as string })
    })
)

/** The id of an emitter that the account has. */
export const makeFindAny = Effect.map(
  Programs,
  (programs) =>
    Effect.fnUntraced(function*(accountId: Id.AccountId, idOrSlug: string) {
      if (idOrSlug === accountId) return idOrSlug as string
      const program = yield* programs.get(accountId, idOrSlug)
      return Option.isNone(program) ? yield* Problem.notFound("emitter", idOrSlug) : program.value.id as string
    })
)
