import * as Problem from "@headwater/api/Problem"
import type * as Id from "@headwater/domain/Id"
import { Programs } from "@headwater/log/resources/Programs"
import { Effect, Option } from "effect"

/** @param unknown the outcome for what names neither the account nor a program of it */
const make = <E>(unknown: (idOrSlug: string) => Effect.Effect<string, E>) =>
  Effect.map(Programs, (programs) =>
    Effect.fnUntraced(function*(accountId: Id.AccountId, idOrSlug: string) {
      if (idOrSlug === accountId) return idOrSlug as string
      const program = yield* programs.get(accountId, idOrSlug)
      return Option.isNone(program) ? yield* unknown(idOrSlug) : program.value.id as string
    }))

/** The id of an emitter that a client gives by its id or slug; as given, where the account has none of that name. */
export const makeEmitterId = make(Effect.succeed)

/** The id of an emitter that the account has. */
export const makeFindAny = make((idOrSlug) => Effect.fail(Problem.notFound("emitter", idOrSlug)))
