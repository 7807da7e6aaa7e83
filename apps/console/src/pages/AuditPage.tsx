import { address, setQuery, visit } from "../api/Address.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Filters } from "../parts/Filters.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Name } from "../parts/Name.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { SearchField } from "../parts/SearchField.tsx"
import { Time } from "../parts/Time.tsx"
import { TimeField } from "../parts/TimeField.tsx"
import * as Audit from "../resources/Audit.ts"
import * as Directory from "../resources/Directory.ts"
import { pageOf } from "../resources/ThingPage.ts"

const Resource = ({ resource_id }: Audit.AuditResource) =>
  resource_id === null ? <span class="note">–</span> : <Name id={resource_id} />

const columns: ReadonlyArray<RowColumn<Audit.AuditResource>> = [
  { name: "When", width: "8.5rem", cell: ({ at }) => <Time ms={at * 1_000} /> },
  { name: "Operation", width: "minmax(9rem, 1fr)", cell: ({ operation }) => <code>{harmless(operation)}</code> },
  {
    name: "Resource",
    width: "minmax(9rem, 1fr)",
    cell: Resource,
    isWideOnly: true
  },
  {
    name: "Status",
    width: "5rem",
    cell: ({ status }) => <Badge tone={status < 400 ? "good" : "bad"} text={String(status)} />
  },
  {
    name: "Key",
    width: "minmax(8rem, 1fr)",
    cell: (entry) => {
      const { key, session_id } = entry
      return (
        <>
          {isNarrow.value
            ? (
              <>
                <Resource {...entry} />
                {" · "}
              </>
            )
            : null}
          <bdi title={key.id}>{harmless(key.name === "" ? key.id : key.name)}</bdi>
          {session_id === null ? null : <span class="note">, in the console</span>}
        </>
      )
    }
  },
  { name: "Address", width: "9rem", cell: ({ client_ip }) => <code>{harmless(client_ip)}</code>, isWideOnly: true }
]

const timeOf = (text: string | null): number | undefined => {
  const ms = Number(text ?? Number.NaN)
  return Number.isSafeInteger(ms) && ms >= 0 && text !== "" ? ms : undefined
}

/** The log of requests that changed something, or were to. */
export default () => {
  const { query } = address.value
  const filter: Audit.AuditFilter = {
    key: query.get("key") ?? "",
    session: query.get("session") ?? "",
    operation: query.get("operation") ?? "",
    from: timeOf(query.get("from")),
    to: timeOf(query.get("to"))
  }
  const active = Object.values(filter).filter((value) => value !== undefined && value !== "").length
  const entries = usePagedList(JSON.stringify(filter), (after, signal) => Audit.list(filter, after, signal))
  Directory.useFreshNames()
  const setTime = (name: "from" | "to") => (ms: number | undefined) =>
    setQuery({ [name]: ms === undefined ? undefined : String(ms) }, "push")
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Audit log</h1>
      </div>
      <Filters label="the audit log" active={active}>
        <SearchField
          label="Operation"
          placeholder="webhooks.pause"
          text={filter.operation}
          onChange={(operation) => setQuery({ operation: operation.trim() }, "push")}
        />
        <SearchField
          label="Id of a key"
          placeholder="key_…"
          text={filter.key}
          onChange={(key) => setQuery({ key: key.trim() }, "push")}
        />
        <div class="time-span">
          <TimeField label="From" ms={filter.from} onChange={setTime("from")} />
          <TimeField label="Before" ms={filter.to} onChange={setTime("to")} />
        </div>
      </Filters>
      <PagedRows
        key={JSON.stringify(filter)}
        list={entries}
        noun={["entry", "entries"]}
        columns={columns}
        onOpen={({ resource_id }) => {
          const page = resource_id === null ? undefined : pageOf(resource_id)
          if (page !== undefined) visit(page)
        }}
        empty={<Empty what={active === 0 ? "Nothing has been changed yet." : "Nothing matches."} />}
      />
    </div>
  )
}
