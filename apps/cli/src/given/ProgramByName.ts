import { Effect } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"

export type Kind = "source" | "workflow"

/** The fields by which one is told from the others. */
export interface Named {
  readonly id: string
  readonly name: string
  readonly name_slug: string
  /** The component that a source runs. */
  readonly component_id?: string
}

interface Listed {
  readonly data: ReadonlyArray<Named>
  readonly page_info: { readonly total_count: number }
}

const listed = ({ data, page_info }: Listed): Listed => ({ data, page_info })

const all = Effect.fnUntraced(function*(kind: Kind) {
  const { call } = yield* ApiAccess
  const found: Array<Named> = []
  for (;;) {
    const last = found.at(-1)
    const query = { limit: 100, ...(last === undefined ? {} : { after: last.id }) }
    const { data, page_info } = yield* call(({ sources, workflows }) =>
      kind === "source"
        ? Effect.map(sources.list({ query }), listed)
        : Effect.map(workflows.list({ query }), listed)
    )
    found.push(...data)
    if (data.length === 0 || found.length >= page_info.total_count) return found
  }
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
