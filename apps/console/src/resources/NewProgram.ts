import { post, type Single } from "../api/Api.ts"
import * as Directory from "./Directory.ts"
import type { Prop, Values } from "./Props.ts"
import * as Sources from "./Sources.ts"
import type { CheckedCode } from "./Trials.ts"
import type { WorkflowResource } from "./Workflows.ts"

export type Kind = "source" | "workflow"

/** Code that a new source or workflow is to run, or the URL that it is to be fetched from. */
export interface Given {
  readonly kind: Kind
  readonly from: "code" | "url"
  readonly text: string
}

/** Code that can be deployed, and the props that it declares. */
export interface Declared {
  readonly checked: CheckedCode
  readonly props: ReadonlyArray<Prop>
  /** A component of this code, which can be asked about its props; undefined for a workflow. */
  readonly component: string | undefined
}

const parametersOf = ({ from, kind, text }: Given): Values => ({
  [`${kind === "source" ? "component" : "workflow"}_${from}`]: text
})

/** Has the server check code. That of a source is saved, so that it can be asked about its props. */
export const declare = async (given: Given): Promise<Declared> => {
  const { data: checked } = await post<Single<CheckedCode>>(["code", "check"], { body: parametersOf(given) })
  if (given.kind === "workflow" || !checked.valid) {
    return { checked, props: checked.configurable_props, component: undefined }
  }
  const { data } = await post<Single<Sources.ComponentResource>>(["components"], { body: parametersOf(given) })
  return { checked, props: data.configurable_props, component: data.id }
}

/** Makes the source or workflow, and returns its id. */
export const create = async (
  given: Given,
  { component }: Declared,
  values: { readonly name?: string; readonly configured_props: Values }
): Promise<string> => {
  const { active, id, name } = component === undefined
    ? (await post<Single<WorkflowResource>>(["workflows"], { body: { ...parametersOf(given), ...values } })).data
    : await Sources.create({ component_id: component, ...values })
  Directory.note({ id, kind: given.kind, name, isActive: active })
  return id
}

export const examples: Readonly<Record<Kind, string>> = {
  source: `export default {
  name: "New source",
  version: "0.1.0",
  props: {
    http: "$.interface.http"
  },
  // Each request to its endpoint runs this. Its events go to those who listen.
  async run(event) {
    this.$emit(event.body)
  }
}
`,
  workflow: `export default {
  name: "New workflow",
  steps: {
    look: {
      run({ steps }) {
        return steps.trigger.event
      }
    },
    // A step sees what those before it returned. Its events go to those who listen.
    tell: {
      run({ steps, $ }) {
        $.emit(steps.look.$return_value)
      }
    }
  }
}
`
}
