import { setQuery } from "../api/Address.ts"
import { may } from "../api/Session.ts"
import { useOpened } from "../api/useOpened.ts"
import { usePagedList } from "../api/usePagedList.ts"
import * as AutoSubscriptions from "../resources/AutoSubscriptions.ts"
import { nameOf } from "../resources/Directory.ts"
import { Confirm } from "./Confirm.tsx"
import { ContractDialog } from "./ContractForm.tsx"
import { Empty } from "./Empty.tsx"
import { Stream } from "./EventCells.tsx"
import { harmless } from "./Harmless.ts"
import { Name } from "./Name.tsx"
import { tell } from "./Notices.tsx"
import { Opens } from "./Opens.tsx"
import { PagedRows, type RowColumn } from "./PagedRows.tsx"
import { Time } from "./Time.tsx"

const columns: ReadonlyArray<RowColumn<AutoSubscriptions.AutoSubscriptionResource>> = [
  { name: "Listener", width: "minmax(8rem, 1fr)", cell: ({ listener_id }) => <Name id={listener_id} /> },
  {
    name: "Stream",
    width: "8rem",
    cell: ({ event_name }) => <Stream name={event_name} />
  },
  {
    name: "Filter",
    width: "minmax(9rem, 2fr)",
    cell: ({ filter }) =>
      filter === undefined ? null : (
        <code>
          <bdi>{harmless(JSON.stringify(filter))}</bdi>
        </code>
      )
  },
  { name: "Created", width: "8.5rem", cell: ({ created_at }) => <Time ms={created_at * 1_000} />, isWideOnly: true }
]

/** The rules that subscribe listeners to all sources and workflows that are made later. */
export const AutoSubscriptionRows = () => {
  const rules = usePagedList("auto-subscriptions", AutoSubscriptions.list)
  const opened = useOpened(rules, ["users", "me", "auto_subscriptions"])
  const asked = may("write") ? opened : undefined
  const changed = () => void rules.refresh()
  return (
    <>
      <div class="bar">
        <Opens needs="write" what="new" name="Subscribe to future emitters …">
          {(close) => (
            <ContractDialog
              title="New auto-subscription"
              note="The listener is subscribed to each source and workflow that is made from now on, from its first event."
              operation="autoSubscriptions.create"
              first={["listener_id", "event_name", "filter"]}
              name="Subscribe"
              doing="Subscribing …"
              done="It will be subscribed to future emitters."
              submit={async (body) => {
                await AutoSubscriptions.create(body)
                changed()
                close()
              }}
              onClose={close}
            />
          )}
        </Opens>
      </div>
      <PagedRows
        list={rules}
        noun={["auto-subscription", "auto-subscriptions"]}
        columns={columns}
        onOpen={({ id }) => setQuery({ open: id }, "push")}
        empty={
          <Empty what="Nothing is subscribed to future emitters.">
            <p>An auto-subscription lets a listener hear each source and workflow that is made from now on.</p>
          </Empty>
        }
      />
      {asked === undefined
        ? null
        : (
          <Confirm
            title="Remove the auto-subscription?"
            leave="Keep it"
            name="Remove"
            doing="Removing …"
            failed="It was not removed."
            act={async () => {
              await AutoSubscriptions.drop(asked.id)
              tell("done", "The auto-subscription is removed.")
              changed()
            }}
            onClose={() => setQuery({ open: undefined })}
          >
            <p>
              {harmless(nameOf(asked.listener_id))}{" "}
              is no longer subscribed to future emitters. The subscriptions that it has stay.
            </p>
          </Confirm>
        )}
    </>
  )
}
