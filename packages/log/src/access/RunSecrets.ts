import type { WorkflowId } from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted } from "effect"

/** The secrets of workflows that the keys of their runs are made with (`RunKey`). */
export class RunSecrets extends Context.Service<RunSecrets, {
  readonly of: (workflowId: WorkflowId) => string
}>()("@headwater/log/access/RunSecrets") {
  static readonly layer: Layer.Layer<RunSecrets, never, Seal> = Layer.effect(
    RunSecrets,
    Effect.map(Seal, (seal) => RunSecrets.of({ of: (id) => Redacted.value(seal.derive(`runs/${id}`)) }))
  )
}
