import type { SourceResource } from "@headwater/api/SourcesApi"
import { Effect } from "effect"
import { ApiAccess } from "./ApiAccess.ts"
import { CommandRefused } from "./CommandRefused.ts"

const all = Effect.gen(function*() {
  const { call } = yield* ApiAccess
  const found: Array<SourceResource> = []
  for (;;) {
    const last = found.at(-1)
    const { data, page_info } = yield* call(({ sources }) =>
      sources.list({ query: { limit: 100, ...(last === undefined ? {} : { after: last.id }) } })
    )
    found.push(...data)
    if (data.length === 0 || found.length >= page_info.total_count) return found
  }
})

/** The source of that name, or else of that name slug. Refuses a name that several have. */
export const find = Effect.fnUntraced(function*(name: string) {
  const sources = yield* all
  const named = sources.filter((source) => source.name === name)
  if (named.length === 1) return named[0]
  const bySlug = sources.find((source) => source.name_slug === name)
  if (bySlug === undefined && named.length > 1) {
    return yield* new CommandRefused({
      message: `Several sources have the name ${JSON.stringify(name)}; choose one by its slug: ` +
        named.map(({ name_slug }) => `--name ${name_slug}`).join(", ")
    })
  }
  return bySlug
})
