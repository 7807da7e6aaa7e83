import { hrefOf } from "../api/Address.ts"
import { columnsOf, ProgramList } from "../parts/ProgramList.tsx"
import { lastRunOfSource } from "../resources/Outcome.ts"
import * as Sources from "../resources/Sources.ts"

const columns = columnsOf<Sources.ListedSource>("source", { name: "Last activity", read: lastRunOfSource }, {
  name: "Id",
  width: "minmax(12rem, 1fr)",
  cell: ({ id }) => <code>{id}</code>,
  isWideOnly: true
})

/** The list of sources, which take events in and run code over them. */
export default () => (
  <ProgramList
    title="Sources"
    kind="source"
    acts={<a class="button" href={hrefOf(["registry"])}>New from the registry …</a>}
    all={Sources.all}
    columns={columns}
    none={
      <>
        Make one of a component of <a href={hrefOf(["registry"])}>the registry</a>, or{" "}
        <a href={hrefOf(["sources", "new"])}>with your own code</a>.
      </>
    }
  />
)
