import type { VariableResource } from "@headwater/api/EnvironmentApi"
import { get, put, remove, type Single } from "../api/Api.ts"
import type { WholeList } from "../api/WholeList.ts"
import { kindOf } from "./Directory.ts"

/** An environment variable. Its name is its id. */
export type Variable = VariableResource & { readonly id: string }

/** Says whose variables are meant, by the id of a project, a source or a workflow; empty for the account. */
const within = (owner: string) =>
  owner === "" ? {} : kindOf(owner) === "project" ? { project_id: owner } : { program_id: owner }

/** Those of the account, or those of one project, source or workflow alone. */
export const all = async (owner: string, signal: AbortSignal): Promise<WholeList<Variable>> => {
  const query = within(owner)
  const { data } = await get<Single<ReadonlyArray<VariableResource>>>(["environment_variables"], { query, signal })
  return { items: data.map((variable) => ({ ...variable, id: variable.name })), rest: 0 }
}

export const set = (
  name: string,
  variable: Pick<VariableResource, "value" | "secret">,
  owner: string
) => put(["environment_variables", name], { body: { ...variable, ...within(owner) } })

export const drop = ({ name, program_id, project_id }: Variable): Promise<void> =>
  remove(["environment_variables", name], { query: within(program_id ?? project_id ?? "") })
