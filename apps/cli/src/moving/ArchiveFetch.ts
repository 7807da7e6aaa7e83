/** One run that fills an archive: it knows what it has, and notes what it was not given. */
import { Effect, Option, Schema } from "effect"
import type { CommandRefused } from "../CommandRefused.ts"
import type * as ArchiveFolder from "./ArchiveFolder.ts"
import type { HostedApi, NotGiven, Query } from "./HostedApi.ts"

type Json = Schema.Json

export interface Given {
  readonly api: HostedApi
  readonly folder: ArchiveFolder.Filling
  /** The id of a workspace. */
  readonly org: string | undefined
  /** Fetches anew what is there. */
  readonly again: boolean
  /** Hears what is being fetched. */
  readonly doing: (what: string) => void
}

/** The number of things of a kind in the archive, and of those that came now. */
export interface Count {
  all: number
  fetched: number
}

export interface ArchiveFetch extends Given {
  readonly query: Query
  readonly counts: Map<string, Count>
  readonly count: (kind: string, isFetched: boolean, of?: number) => void
  /** The answer of the service; otherwise none, and that is noted. */
  readonly ask: <A>(
    what: string,
    id: string,
    ask: Effect.Effect<A, NotGiven | CommandRefused>
  ) => Effect.Effect<Option.Option<A>, CommandRefused>
  /** A file that is there already, unless one of these was missing from it. */
  readonly kept: (path: string, ...parts: ReadonlyArray<readonly [what: string, id: string]>) => Effect.Effect<
    Option.Option<Json>
  >
}

export const make = (given: Given): ArchiveFetch => {
  const { again, doing, folder, org } = given
  const counts = new Map<string, Count>()
  return {
    ...given,
    query: { org_id: org },
    counts,
    count: (kind, isFetched, of = 1) => {
      const { all, fetched } = counts.get(kind) ?? { all: 0, fetched: 0 }
      counts.set(kind, { all: all + of, fetched: isFetched ? fetched + of : fetched })
    },
    ask: <A>(what: string, id: string, ask: Effect.Effect<A, NotGiven | CommandRefused>) =>
      Effect.suspend(() => {
        doing(id === "" ? what : `${what} ${id}`)
        return Effect.catchTag(
          Effect.asSome(ask),
          "NotGiven",
          ({ message }) => Effect.as(folder.miss({ what, id, why: message }), Option.none<A>())
        )
      }),
    kept: (path, ...parts) =>
      again || parts.some(([what, id]) => folder.wasMissing(what, id))
        ? Effect.succeedNone
        : folder.read(path)
  }
}

/** The id of a thing of the service, which becomes the name of a file. */
export const idOf = (prefix: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^${prefix}_[0-9A-Za-z]{1,64}$`)))
