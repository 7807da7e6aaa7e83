import type { VariableResource } from "@headwater/api/EnvironmentApi"
import { get, put, remove, type Single } from "../api/Api.ts"
import type { WholeList } from "../api/WholeList.ts"

/** An environment variable. Its name is its id. */
export type Variable = VariableResource & { readonly id: string }

/** Those of the account, or those of one source or workflow alone. */
export const all = async (programId: string | undefined, signal: AbortSignal): Promise<WholeList<Variable>> => {
  const query = { program_id: programId }
  const { data } = await get<Single<ReadonlyArray<VariableResource>>>(["environment_variables"], { query, signal })
  return { items: data.map((variable) => ({ ...variable, id: variable.name })), rest: 0 }
}

export const set = (
  name: string,
  variable: Pick<VariableResource, "value" | "secret">,
  programId: string | undefined
) =>
  put(["environment_variables", name], {
    body: { ...variable, ...(programId === undefined ? {} : { program_id: programId }) }
  })

export const drop = ({ name, program_id }: Variable): Promise<void> =>
  remove(["environment_variables", name], { query: { program_id: program_id ?? undefined } })
