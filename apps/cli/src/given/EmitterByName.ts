import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { Effect } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"

/** A source or workflow of the account. */
export type Emitter =
  | { readonly kind: "source"; readonly program: SourceResource }
  | { readonly kind: "workflow"; readonly program: WorkflowResource }

/** The source or workflow of that id, name slug or name. */
export const find = Effect.fnUntraced(function*(named: string) {
  const { call } = yield* ApiAccess
  const { id, kind } = yield* Naming.find(Kind.emitters, named)
  const request = { params: { id }, query: {} }
  if (kind === Kind.source) {
    const { data: program } = yield* call(({ sources }) => sources.get(request))
    return { kind: "source", program } satisfies Emitter as Emitter
  }
  const { data: program } = yield* call(({ workflows }) => workflows.get(request))
  return { kind: "workflow", program } satisfies Emitter as Emitter
})
