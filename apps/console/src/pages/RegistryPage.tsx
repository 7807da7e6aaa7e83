import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Time } from "../parts/Time.tsx"
import * as Registry from "../resources/Registry.ts"

const pollMs = 10_000

/** Each component of the registry has a key. */
const hrefOfComponent = ({ id, key }: Registry.RegistryComponent) => hrefOf(["registry", key ?? id])

const columns: ReadonlyArray<RowColumn<Registry.RegistryComponent>> = [
  {
    name: "Name",
    width: "minmax(9rem, 0.7fr)",
    cell: (component) => (
      <a tabIndex={-1} href={hrefOfComponent(component)}>
        <bdi>{harmless(component.name)}</bdi>
      </a>
    )
  },
  {
    name: "Key",
    width: "minmax(10rem, 1fr)",
    cell: ({ key }) => (
      <code>
        <bdi>{harmless(key ?? "")}</bdi>
      </code>
    )
  },
  { name: "Version", width: "4rem", cell: ({ version }) => <bdi>{harmless(version)}</bdi>, isWideOnly: true },
  {
    name: "Published",
    width: "8.5rem",
    cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />,
    isWideOnly: true
  },
  {
    name: "Description",
    width: "minmax(12rem, 3fr)",
    cell: ({ description }) => <bdi title={harmless(description ?? "")}>{harmless(description ?? "")}</bdi>
  }
]

/** The components that sources can be made of without code of one's own. */
export default () => {
  const components = useLoading("registry", Registry.all, { everyMs: pollMs })
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Registry</h1>
      </div>
      <SearchedRows
        loading={components}
        noun={["component", "components"]}
        label="Name, key or description"
        textsOf={({ description, key, name }) => [key, name, description]}
        columns={columns}
        onOpen={(component) => visit(hrefOfComponent(component))}
        empty={<Empty what="The registry is empty." />}
      />
    </div>
  )
}
