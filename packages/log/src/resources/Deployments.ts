import { ComponentId, type DeploymentId, type ProgramId, type WorkflowId } from "@headwater/domain/Id"
import { Program } from "@headwater/domain/Program"
import { Seal } from "@headwater/domain/Seal"
import { Context, Effect, Layer, type Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Rows from "../internal/Rows.ts"

/** The values that the code of a deployment runs with. Older deployments have no props of the code's adding. */
const Values = Schema.Struct({
  props: Program.fields.props,
  timers: Program.fields.timers,
  additionalProps: Schema.optionalKey(Program.fields.additionalProps)
})

const ValuesText = Schema.fromJsonString(Values)

/** A workflow's code and props as they were at one time: what runs that began then go on with. */
export interface Deployment extends Schema.Schema.Type<typeof Values> {
  readonly id: DeploymentId
  readonly workflowId: WorkflowId
  readonly componentId: ComponentId
}

/** Runs that have ended can be run again on the code and props that they had, as long as that is one of so many. */
const kept = 50

const Row = Schema.Struct({ component_id: ComponentId, sealed_values: Schema.Uint8Array })

/** The `deployments` table. Nothing in it changes. */
export class Deployments extends Context.Service<Deployments, {
  /** Notes a workflow as it is now. Does nothing for a source, or where its deployment is noted already. */
  readonly putOf: (program: Program) => Effect.Effect<void, SqlError.SqlError>
  readonly get: (
    workflowId: WorkflowId,
    id: DeploymentId
  ) => Effect.Effect<Option.Option<Deployment>, SqlError.SqlError>
  /** Removes those of a workflow that no run which has not ended is of, but for the current one and the newest 50. */
  readonly removeUnused: (workflowId: ProgramId, current: DeploymentId) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (workflowId: WorkflowId) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/resources/Deployments") {
  static readonly layer: Layer.Layer<Deployments, never, SqlClient.SqlClient | Seal> = Layer.effect(
    Deployments,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const seal = yield* Seal
      const placeOf = (id: string) => `deployments/${id}`
      return Deployments.of({
        putOf: Effect.fnUntraced(function*({ additionalProps, componentId, id: workflowId, props, timers, workflow }) {
          if (workflow === null) return
          const id = workflow.deploymentId
          const text = yield* Effect.orDie(Schema.encodeEffect(ValuesText)({ props, timers, additionalProps }))
          const sealed = yield* seal.seal(placeOf(id), Redacted.make(text))
          yield* sql`
            INSERT INTO deployments (id, workflow_id, component_id, sealed_values)
            VALUES (${id}, ${workflowId}, ${componentId}, ${sealed}) ON CONFLICT (id) DO NOTHING`
        }),
        get: (workflowId, id) =>
          Rows.make(Effect.fnUntraced(function*(row: unknown) {
            const { component_id, sealed_values } = yield* Schema.decodeUnknownEffect(Row)(row)
            const text = Redacted.value(yield* seal.open(placeOf(id), sealed_values))
            const values = yield* Schema.decodeEffect(ValuesText)(text)
            return { id, workflowId, componentId: component_id, ...values } satisfies Deployment as Deployment
          })).one(sql`
            SELECT component_id, sealed_values FROM deployments WHERE id = ${id} AND workflow_id = ${workflowId}`),
        removeUnused: (workflowId, current) =>
          Effect.asVoid(sql`
            DELETE FROM deployments d WHERE workflow_id = ${workflowId} AND id <> ${current} AND id NOT IN (
              SELECT id FROM deployments WHERE workflow_id = ${workflowId} ORDER BY id COLLATE "C" DESC LIMIT ${kept}
            ) AND NOT EXISTS (
              SELECT FROM workflow_runs r
              WHERE r.workflow_id = ${workflowId} AND r.ended_at IS NULL AND r.deployment_id = d.id
            )`),
        removeAll: (workflowId) => Effect.asVoid(sql`DELETE FROM deployments WHERE workflow_id = ${workflowId}`)
      })
    })
  )
}
