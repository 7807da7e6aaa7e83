import { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import { type SourceKind, Sources } from "@headwater/log/Sources"
import { Effect, Option } from "effect"

/** Finds what a path names: the account's own source or workflow, by its id or its slug. */
export const makeFind = Effect.map(
  Sources,
  (sources) =>
    Effect.fnUntraced(function*(kind: SourceKind, idOrSlug: string) {
      const found = yield* sources.get(yield* CurrentAccount, idOrSlug, kind)
      return Option.isNone(found) ? yield* Problem.notFound(kind, idOrSlug) : found.value
    })
)
