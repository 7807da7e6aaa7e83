import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { Effect } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"

/** A source or workflow of the account. */
export type Emitter =
  | { readonly kind: "source"; readonly program: SourceResource }
  | { readonly kind: "workflow"; readonly program: WorkflowResource }

/** The source or workflow of that id or name slug. */
export const find = Effect.fnUntraced(function*(idOrSlug: string) {
  const { call } = yield* ApiAccess
  const params = { id: idOrSlug }
  const source = yield* call(({ sources }) => sources.get({ params, query: {} })).pipe(
    Effect.catchTag("NotFoundProblem", () => Effect.undefined)
  )
  if (source !== undefined) return { kind: "source", program: source.data } satisfies Emitter as Emitter
  const workflow = yield* call(({ workflows }) => workflows.get({ params, query: {} })).pipe(
    Effect.catchTag("NotFoundProblem", () =>
      Effect.fail(
        new CommandRefused({
          message:
            `There is no source or workflow ${JSON.stringify(idOrSlug)}. Give an id (dc_… or p_…) or a name slug, as ` +
            "`headwater deploy` prints it"
        })
      ))
  )
  return { kind: "workflow", program: workflow.data } satisfies Emitter as Emitter
})
