import { address, setQuery } from "../api/Address.ts"
import * as Directory from "../resources/Directory.ts"
import { Empty } from "./Empty.tsx"
import { NamedField } from "./NamedField.tsx"

/** The id of the project that a list is narrowed to, which the address holds; empty for none. */
export const chosenProject = (): string => address.value.query.get("project") ?? ""

/** Narrows a list to a project, where there are any. */
export const ProjectFilter = () => {
  Directory.useFreshNames()
  const chosen = chosenProject()
  const isThere = chosen !== "" || [...Directory.names.value.values()].some(({ kind }) => kind === "project")
  return isThere
    ? (
      <NamedField
        label="Project"
        all="any, or none"
        kinds={["project"]}
        chosen={chosen}
        onChange={(project) => setQuery({ project }, "push")}
      />
    )
    : null
}

/** Stands in a list that is narrowed to a project to which nothing belongs. */
export const EmptyProject = ({ many }: { readonly many: string }) => (
  <Empty what={`No ${many} belong to this project.`}>
    <button type="button" onClick={() => setQuery({ project: "" }, "push")}>Show all {many}</button>
  </Empty>
)
