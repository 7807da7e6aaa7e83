import { hrefOf, visit } from "../Address.ts"
import { useLoading } from "../Loading.ts"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Time } from "../parts/Time.tsx"
import * as Registry from "../Registry.ts"

const pollMs = 10_000

/** Each component of the registry has a key. */
const hrefOfComponent = ({ id, key }: Registry.RegistryComponent) => hrefOf(["registry", key ?? id])

const columns: ReadonlyArray<RowColumn<Registry.RegistryComponent>> = [
  {
    name: "Name",
    width: "minmax(10rem, 1fr)",
    cell: (component) => (
      <a tabIndex={-1} href={hrefOfComponent(component)}>
        <bdi>{harmless(component.name)}</bdi>
      </a>
    )
  },
  { name: "Version", width: "5.5rem", cell: ({ version }) => <bdi>{harmless(version)}</bdi> },
  { name: "Published", width: "8.5rem", cell: ({ updated_at }) => <Time ms={updated_at * 1_000} /> },
  {
    name: "Key",
    width: "minmax(12rem, 1.5fr)",
    cell: ({ key }) => (
      <code>
        <bdi>{harmless(key ?? "")}</bdi>
      </code>
    )
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
        label="Name or key"
        textsOf={({ key, name }) => [key, name]}
        columns={columns}
        onOpen={(component) => visit(hrefOfComponent(component))}
        empty={<Empty what="The registry has no components." />}
      />
    </div>
  )
}
