import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { address, hrefOf, setQuery, visit } from "../api/Address.ts"
import type { TimeOrder } from "../api/Api.ts"
import { may } from "../api/Session.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { duration } from "../charts/Figures.ts"
import { isNarrow, withUnit } from "../charts/Narrow.ts"
import { StateBadge } from "../parts/Badge.tsx"
import { BulkDialog } from "../parts/BulkDialog.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Line, Stream } from "../parts/EventCells.tsx"
import { Filters } from "../parts/Filters.tsx"
import { Name } from "../parts/Name.tsx"
import { NamedField } from "../parts/NamedField.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { RangeField } from "../parts/RangeField.tsx"
import { RetriesChart } from "../parts/RetriesChart.tsx"
import { SearchField } from "../parts/SearchField.tsx"
import { Ago, local, Time } from "../parts/Time.tsx"
import { TimeField } from "../parts/TimeField.tsx"
import { orderOf, sortingBy, TimeOrderField } from "../parts/TimeOrder.tsx"
import {
  bulkFilterOf,
  type DeliveryFilter,
  type DeliveryResource,
  errorClasses,
  filterOf,
  list,
  type ListedDelivery,
  outcomeOf,
  states
} from "../resources/Deliveries.ts"
import * as Directory from "../resources/Directory.ts"

const To = ({ webhook_id }: DeliveryResource) =>
  webhook_id === null ? <span class="note">a workflow's request</span> : <Name id={webhook_id} />

/** The time from the first attempt to the last one. */
const triedFor = (startedAtMs: number, lastAttemptAtMs: number | null) =>
  lastAttemptAtMs === null || lastAttemptAtMs <= startedAtMs
    ? <span class="note">–</span>
    : duration(lastAttemptAtMs - startedAtMs)

const common: ReadonlyArray<RowColumn<ListedDelivery>> = [
  {
    name: "Started",
    width: "8.5rem",
    cell: ({ id, started_at_ms }) => (
      <a tabIndex={-1} href={hrefOf(["deliveries", id])}>
        <Time ms={started_at_ms} milliseconds />
      </a>
    )
  },
  { name: "State", width: "5.5rem", cell: ({ state }) => <StateBadge state={state} /> },
  {
    name: "Last",
    width: "5.5rem",
    cell: (delivery) => (
      <span class={delivery.error_class === null ? "" : "fault"} title={errorClasses[delivery.error_class ?? ""]}>
        {outcomeOf(delivery)}
      </span>
    )
  },
  { name: "Attempts", width: "4rem", cell: ({ attempt_count }) => withUnit(attempt_count, "attempt", "attempts") }
]

const wide: ReadonlyArray<RowColumn<ListedDelivery>> = [
  ...common,
  { name: "Age", width: "6.5rem", cell: ({ started_at_ms }) => <Ago ms={started_at_ms} /> },
  {
    name: "Tried for",
    width: "5rem",
    cell: ({ attempt_count, last_attempt_at_ms, started_at_ms }) =>
      attempt_count < 2 ? <span class="note">–</span> : triedFor(started_at_ms, last_attempt_at_ms)
  },
  {
    name: "Next",
    width: "7.5rem",
    cell: ({ next_attempt_at_ms }) =>
      next_attempt_at_ms === null ? <span class="note">–</span> : <Ago ms={next_attempt_at_ms} />
  },
  {
    name: "Stream",
    width: "minmax(4rem, 0.4fr)",
    cell: ({ event_name }) => <Stream name={event_name || "default"} />
  },
  { name: "Summary", width: "minmax(7rem, 1fr)", cell: ({ summary }) => <Line text={summary ?? ""} /> },
  { name: "From", width: "minmax(6rem, 0.7fr)", cell: ({ emitter_id }) => <Name id={emitter_id} /> },
  { name: "To", width: "minmax(6rem, 0.7fr)", cell: To }
]

const narrow: ReadonlyArray<RowColumn<ListedDelivery>> = [
  ...common,
  {
    name: "Summary, from and to",
    width: "1fr",
    cell: (delivery) => (
      <>
        {delivery.summary
          ? (
            <>
              <Line text={delivery.summary} />
              {" · "}
            </>
          )
          : null}
        <Name id={delivery.emitter_id} /> {delivery.event_name === "" ? null : (
          <>
            on <Stream name={delivery.event_name} />
            {" "}
          </>
        )}→ <To {...delivery} />
        {delivery.next_attempt_at_ms === null ? null : (
          <>
            , next <Ago ms={delivery.next_attempt_at_ms} />
          </>
        )}
      </>
    )
  }
]

const Choice = ({ all, chosen, label, name, values }: {
  readonly label: string
  readonly name: keyof DeliveryFilter
  readonly all: string
  readonly chosen: string | undefined
  readonly values: ReadonlyArray<readonly [value: string, text: string]>
}) => (
  <label class="field">
    <span>{label}</span>
    <select value={chosen ?? ""} onChange={(event) => setQuery({ [name]: event.currentTarget.value }, "push")}>
      <option value="">{all}</option>
      {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
    </select>
  </label>
)

/** A filter in words, for a reader who is about to act on all deliveries that match it. */
const words = (filter: DeliveryFilter): string => {
  const {
    emitter_id,
    error_class,
    event_id,
    event_name,
    last_attempt_since,
    since,
    state,
    status,
    subscription_id,
    text,
    until,
    webhook_id
  } = filter
  const parts = [
    webhook_id === undefined ? undefined : `to ${Directory.nameOf(webhook_id)}`,
    emitter_id === undefined ? undefined : `of events of ${Directory.nameOf(emitter_id)}`,
    event_name === undefined ? undefined : `on the stream ${event_name}`,
    event_id === undefined ? undefined : `of the event ${event_id}`,
    subscription_id === undefined ? undefined : `by the subscription ${subscription_id}`,
    state === undefined ? undefined : `that are ${state}`,
    error_class === undefined ? undefined : `whose last attempt failed as ${error_class}`,
    status === undefined ? undefined : `whose last attempt returned ${status}`,
    since === undefined ? undefined : `that began at ${local(Number(since))} or later`,
    until === undefined ? undefined : `that began before ${local(Number(until))}`,
    last_attempt_since === undefined
      ? undefined
      : `whose last attempt was at ${local(Number(last_attempt_since))} or later`,
    text === undefined ? undefined : `whose payload contains ${text}`
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? "All deliveries of the account." : `Deliveries ${parts.join(", ")}.`
}

const numberOf = (text: string | undefined): number | undefined => text === undefined ? undefined : Number(text)

/** The fields by which the list is filtered and sorted. */
const DeliveryFilters = ({ active, filter, order }: {
  readonly active: number
  readonly filter: DeliveryFilter
  readonly order: TimeOrder
}) => {
  const set = (name: keyof DeliveryFilter) => (value: string) => setQuery({ [name]: value }, "push")
  const setTime = (name: "last_attempt_since" | "since" | "until") => (ms: number | undefined) =>
    setQuery({ [name]: ms === undefined ? "" : String(ms) }, "push")
  const other = (["event_id", "subscription_id"] as const).filter((name) => filter[name] !== undefined)
  return (
    <Filters label="Deliveries" active={active}>
      <Choice
        label="State"
        name="state"
        all="all states"
        chosen={filter.state}
        values={states.map((state) => [state, state])}
      />
      <NamedField
        label="Webhook"
        all="all webhooks"
        kinds={["webhook"]}
        chosen={filter.webhook_id ?? ""}
        onChange={set("webhook_id")}
      />
      <NamedField
        label="Emitter"
        all="all emitters"
        kinds={["source", "workflow", "account"]}
        chosen={filter.emitter_id ?? ""}
        onChange={set("emitter_id")}
      />
      <Choice
        label="Error"
        name="error_class"
        all="any"
        chosen={filter.error_class}
        values={Object.keys(errorClasses).map((name) => [name, name])}
      />
      <Choice
        label="Last status"
        name="status"
        all="any"
        chosen={filter.status}
        values={["2xx", "3xx", "4xx", "5xx", "429", "500", "503"].map((status) => [status, status])}
      />
      <SearchField label="Payload contains" text={filter.text ?? ""} onChange={(text) => setQuery({ text })} />
      <RangeField
        from={numberOf(filter.since)}
        to={numberOf(filter.until)}
        onChange={(ms) => setQuery({ since: ms === undefined ? "" : String(ms), until: "" }, "push")}
      />
      <div class="time-span">
        <TimeField label="Started from" ms={numberOf(filter.since)} onChange={setTime("since")} />
        <TimeField label="Started before" ms={numberOf(filter.until)} onChange={setTime("until")} />
      </div>
      {filter.last_attempt_since === undefined ? null : (
        <TimeField
          label="Last tried from"
          ms={numberOf(filter.last_attempt_since)}
          onChange={setTime("last_attempt_since")}
        />
      )}
      {other.map((name) => (
        <button
          key={name}
          type="button"
          class="quiet"
          onClick={() => setQuery({ [name]: "" }, "push")}
        >
          {name === "event_id" ? "Event" : "Subscription"} <code>{filter[name]}</code> ×
        </button>
      ))}
      <TimeOrderField order={order} />
    </Filters>
  )
}

/** The pending deliveries, and the outcome of the others. */
export default () => {
  const { query } = address.value
  const filter = useMemo(() => filterOf(query), [query])
  const key = JSON.stringify(filter)
  const order = orderOf(query)
  const deliveries = usePagedList(
    key,
    (after, signal) => list(filter, signal, { after, sort: order, expand: "summary" }),
    order === "oldest"
  )
  const isAsking = useSignal(false)
  const active = Object.keys(filter).length
  Directory.useFreshNames()
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Deliveries</h1>
        <span class="grow" />
        {may("run")
          ? (
            <button
              type="button"
              onClick={() => {
                isAsking.value = true
              }}
            >
              {active === 0 ? "Act on all …" : "Act on all that match …"}
            </button>
          )
          : null}
      </div>
      <RetriesChart webhook={filter.webhook_id} />
      <DeliveryFilters active={active} filter={filter} order={order} />
      <PagedRows
        list={deliveries}
        noun={["delivery", "deliveries"]}
        columns={isNarrow.value ? narrow : wide}
        sorting={sortingBy("Started", order)}
        onOpen={({ id }) => visit(hrefOf(["deliveries", id]))}
        empty={active === 0
          ? (
            <Empty what="Nothing has been delivered yet.">
              <p>Subscribe a webhook to an emitter, and its deliveries will appear here.</p>
            </Empty>
          )
          : (
            <Empty what="No delivery matches.">
              <button type="button" onClick={() => visit(hrefOf(["deliveries"]))}>Show all deliveries</button>
            </Empty>
          )}
      />
      {isAsking.value
        ? (
          <BulkDialog
            filter={bulkFilterOf(filter)}
            meant={words(filter)}
            onClose={() => {
              isAsking.value = false
            }}
          />
        )
        : null}
    </div>
  )
}
