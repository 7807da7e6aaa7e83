import { address, setQuery } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { AutoSubscriptionRows } from "../parts/AutoSubscriptionRows.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Stream } from "../parts/EventCells.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Name } from "../parts/Name.tsx"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { NewSubscription, SubscriptionDialog } from "../parts/SubscriptionForms.tsx"
import { Tabs } from "../parts/Tabs.tsx"
import * as Directory from "../resources/Directory.ts"
import * as Subscriptions from "../resources/Subscriptions.ts"

const pollMs = 10_000

const filterOf = ({ filter }: Subscriptions.SubscriptionResource): string =>
  filter === undefined ? "" : JSON.stringify(filter)

const columns: ReadonlyArray<RowColumn<Subscriptions.SubscriptionResource>> = [
  { name: "Listener", width: "minmax(8rem, 1fr)", cell: ({ listener_id }) => <Name id={listener_id} /> },
  {
    name: "Listens to",
    width: "minmax(8rem, 1fr)",
    cell: ({ emitter_id }) => (
      <>
        {isNarrow.value ? <span class="note">listens to{" "}</span> : null}
        <Name id={emitter_id} />
      </>
    )
  },
  {
    name: "Stream",
    width: "8rem",
    cell: ({ event_name }) => <Stream name={event_name} />,
    isWideOnly: true
  },
  {
    name: "Filter",
    width: "minmax(9rem, 2fr)",
    cell: (subscription) =>
      subscription.filter === undefined
        ? <span class="note">{isNarrow.value ? "every event" : "none"}</span>
        : (
          <code>
            <bdi>{harmless(filterOf(subscription))}</bdi>
          </code>
        )
  }
]

const Rows = () => {
  const subscriptions = useLoading("subscriptions", Subscriptions.all, { everyMs: pollMs })
  const loaded = subscriptions.loaded.value
  const items = loaded.state === "shown" || loaded.state === "stale" ? loaded.value.items : []
  const asked = may("write") ? items.find(({ id }) => id === address.value.query.get("open")) : undefined
  const changed = () => void subscriptions.reload()
  return (
    <>
      <SearchedRows
        loading={subscriptions}
        noun={["subscription", "subscriptions"]}
        label="Name, id, stream or filter"
        textsOf={(one) => [
          one.id,
          one.emitter_id,
          one.listener_id,
          Directory.nameOf(one.emitter_id),
          Directory.nameOf(one.listener_id),
          one.event_name,
          filterOf(one)
        ]}
        columns={columns}
        onOpen={({ id }) => setQuery({ open: id }, "push")}
        filters={<NewSubscription kind="main" onDone={changed} />}
        empty={
          <Empty what="There are no subscriptions yet.">
            <p>With a subscription, a source, workflow or webhook receives the events of another source or workflow.</p>
          </Empty>
        }
      />
      {asked === undefined
        ? null
        : (
          <SubscriptionDialog
            key={asked.id}
            subscription={asked}
            onDone={changed}
            onClose={() => setQuery({ open: undefined })}
          />
        )}
    </>
  )
}

/** The subscriptions of the account, by which listeners hear emitters, and the rules that make further ones. */
export default () => {
  const isLater = address.value.query.get("view") === "later"
  Directory.useFreshNames()
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Subscriptions</h1>
        <Tabs
          label="Subscriptions to"
          choices={[["now", "Existing emitters"], ["later", "Future emitters"]]}
          chosen={isLater ? "later" : "now"}
          onChoose={(view) => setQuery({ view: view === "later" ? view : undefined, open: undefined }, "push")}
        />
      </div>
      {isLater ? <AutoSubscriptionRows /> : <Rows />}
    </div>
  )
}
