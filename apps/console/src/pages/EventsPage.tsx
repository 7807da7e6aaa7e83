import { useSignal } from "@preact/signals"
import { useCallback, useEffect, useMemo } from "preact/hooks"
import { address, hrefOf, setQuery } from "../api/Address.ts"
import type { TimeOrder } from "../api/Api.ts"
import { counted } from "../charts/Figures.ts"
import { ColumnChoice } from "../parts/ColumnChoice.tsx"
import { Empty } from "../parts/Empty.tsx"
import { cellOf } from "../parts/EventCells.tsx"
import { EventPanel } from "../parts/EventPanel.tsx"
import { Failed } from "../parts/Failed.tsx"
import { Filters } from "../parts/Filters.tsx"
import { NamedField } from "../parts/NamedField.tsx"
import { RangeField } from "../parts/RangeField.tsx"
import { SearchField } from "../parts/SearchField.tsx"
import { TimeField } from "../parts/TimeField.tsx"
import { orderOf, sortingBy, TimeOrderField } from "../parts/TimeOrder.tsx"
import { VirtualRows } from "../parts/VirtualRows.tsx"
import { Waiting } from "../parts/Waiting.tsx"
import * as Directory from "../resources/Directory.ts"
import * as EventColumns from "../resources/EventColumns.ts"
import { EventFeed, type Live, type Reach } from "../resources/EventFeed.ts"
import { type EventFilter, type EventSummary, keyOf } from "../resources/Events.ts"

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,16}$/.test(text) ? Number(text) : undefined

const filterOf = (query: URLSearchParams): EventFilter => ({
  emitter: query.get("emitter") ?? "",
  stream: query.get("stream") ?? "",
  text: query.get("text") ?? "",
  from: numberOf(query.get("from")),
  to: numberOf(query.get("to"))
})

/** The list that the reader left last, to come back to it as it was. */
let kept: EventFeed | undefined

const feedFor = (filter: EventFilter, order: TimeOrder): EventFeed => {
  if (kept?.order === order && JSON.stringify(kept.filter) === JSON.stringify(filter)) return kept
  kept?.stop()
  kept = new EventFeed(filter, order)
  void kept.readOn()
  return kept
}

const commonStreams = ["default", "$errors", "$logs"]

const StreamField = ({ chosen, seen }: { readonly chosen: string; readonly seen: ReadonlyArray<string> }) => (
  <label class="field">
    <span>Stream</span>
    <input
      type="text"
      list="streams"
      spellcheck={false}
      placeholder="all"
      maxLength={200}
      value={chosen}
      onChange={(event) => setQuery({ stream: event.currentTarget.value.trim(), open: "" }, "push")}
    />
    <datalist id="streams">
      {[...new Set([...commonStreams, ...seen])].map((name) => <option key={name} value={name} />)}
    </datalist>
  </label>
)

const liveWords: Readonly<Record<Live["state"], string>> = {
  paused: "Paused",
  connecting: "Connecting …",
  live: "Live",
  lost: "Connection lost, trying again …",
  refused: "Not live"
}

const LiveSwitch = ({ feed }: { readonly feed: EventFeed }) => {
  const live = feed.live.value
  if (!feed.canBeLive) return <span class="note">A list that ends at a set time is not live.</span>
  const { state } = feed.reach.value
  if (feed.order === "oldest" && state !== "ended") {
    return state === "full"
      ? null
      : <span class="note">New events come in at the end of the list, once you have read up to it.</span>
  }
  const isOn = live.state !== "paused" && live.state !== "refused"
  return (
    <span class={`live is-${live.state}`}>
      <span class="live-mark" aria-hidden="true" />
      <span role="status">{liveWords[live.state]}</span>
      <button
        type="button"
        onClick={() => {
          setQuery({ live: isOn ? "off" : "" })
          if (isOn) feed.pause()
          else feed.resume()
        }}
      >
        {isOn ? "Pause" : "Resume"}
      </button>
    </span>
  )
}

const Footer = (
  { count, feed, reach }: { readonly feed: EventFeed; readonly reach: Reach; readonly count: number }
) => {
  const [end, field] = feed.order === "newest" ? ["newest", "Before"] : ["oldest", "From"]
  switch (reach.state) {
    case "reading":
      return <Waiting what={count === 0 ? "events" : "more events"} />
    case "failed":
      return (
        <Failed
          what={count === 0 ? "Could not load the events." : "Could not load more events."}
          failure={reach.failure}
          onRetry={() => void feed.readOn()}
        />
      )
    case "open":
      return (
        <p class="end">
          <button type="button" onClick={() => void feed.readOn()}>
            {count === 0 ? "Nothing found yet: search further" : "More events"}
          </button>
        </p>
      )
    case "full":
      return <p class="end note">These are the {end} {counted(count, "event")}. Set “{field}” to see others.</p>
    case "ended":
      return count === 0 ? null : <p class="end note">{counted(count, "event")}.</p>
  }
}

const Nothing = ({ filter }: { readonly filter: EventFilter }) => {
  const isNarrowed = Object.values(filter).some((value) => value !== "" && value !== undefined)
  return isNarrowed
    ? (
      <Empty what="No event matches.">
        <button
          type="button"
          onClick={() => setQuery({ emitter: "", stream: "", text: "", from: "", to: "" }, "push")}
        >
          Show all events
        </button>
      </Empty>
    )
    : (
      <Empty what="There are no events yet.">
        <p>
          <a href={hrefOf(["sources", "new"])}>Make a source</a>, and its events appear here as it emits them.
        </p>
      </Empty>
    )
}

/** The log: the events of one emitter or of all, and new ones as they come. */
export default () => {
  const { query } = address.value
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const order = orderOf(query)
  const feed = useMemo(() => feedFor(filter, order), [key, order])
  const columns = useMemo(() => EventColumns.read(query.get("columns")), [query.get("columns")])
  const isPaused = query.get("live") === "off"
  const searchKey = useSignal(0)

  Directory.useFreshNames()
  useEffect(() => {
    if (!isPaused) feed.resume()
    return () => feed.pause()
  }, [feed])

  const opened = query.get("open")
  const [openEmitter = "", openId = ""] = opened?.split("/") ?? []
  const close = useCallback(() => setQuery({ open: "" }), [])
  const open = (event: EventSummary) => setQuery({ open: keyOf(event) }, opened === null ? "push" : "replace")

  const rows = feed.rows.value
  const reach = feed.reach.value
  const seen = [...new Set(rows.slice(0, 500).map(({ metadata }) => metadata.name))].filter((name) => name !== "")
  const shown = columns.map(EventColumns.columnOf)
  const live = feed.live.value
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Events</h1>
        <LiveSwitch feed={feed} />
      </div>
      {live.state === "refused"
        ? <Failed what="New events are not coming in." failure={live.failure} onRetry={() => feed.resume()} />
        : null}
      <Filters
        label="Events"
        active={Object.values(filter).filter((value) => value !== "" && value !== undefined).length}
      >
        <NamedField
          label="Emitter"
          all="all emitters"
          kinds={["source", "workflow", "account"]}
          chosen={filter.emitter}
          onChange={(emitter) => setQuery({ emitter, open: "" }, "push")}
        />
        <StreamField chosen={filter.stream} seen={seen} />
        <SearchField
          key={searchKey.value}
          label="Payload contains"
          text={filter.text}
          placeholder={"\"order\":1001"}
          onChange={(text) => setQuery({ text, open: "" })}
        />
        <RangeField
          from={filter.from}
          to={filter.to}
          onChange={(ms) => setQuery({ from: ms === undefined ? "" : String(ms), to: "", open: "" }, "push")}
        />
        <div class="time-span">
          <TimeField
            label="From"
            ms={filter.from}
            onChange={(ms) => setQuery({ from: ms === undefined ? "" : String(ms), open: "" }, "push")}
          />
          <TimeField
            label="Before"
            ms={filter.to}
            onChange={(ms) => setQuery({ to: ms === undefined ? "" : String(ms), open: "" }, "push")}
          />
        </div>
        <ColumnChoice chosen={columns} onChange={(ids) => setQuery({ columns: EventColumns.write(ids) })} />
        <TimeOrderField order={order} />
      </Filters>
      <div class={opened === null ? "split" : "split is-open"}>
        <div class="split-list">
          {/* The heads stay while another order is read, so that the focus stays on the one that was pressed. */}
          {rows.length === 0 && reach.state === "ended"
            ? <Nothing filter={filter} />
            : rows.length === 0 && reach.state !== "reading"
            ? <Footer feed={feed} reach={reach} count={0} />
            : (
              <VirtualRows
                label="Events"
                rows={feed.rows}
                keyOf={keyOf}
                columns={shown.map(({ width }) => width).join(" ")}
                header={shown.map(({ name }) => name)}
                sorting={sortingBy("Time", order)}
                cells={(event) => columns.map((column) => cellOf(column, event))}
                isOpen={(event) => keyOf(event) === opened}
                onOpen={open}
                onNearEnd={() => {
                  if (feed.reach.peek().state === "open") void feed.readOn()
                }}
                footer={<Footer feed={feed} reach={reach} count={rows.length} />}
              />
            )}
        </div>
        {opened === null ? null : <EventPanel key={opened} emitter={openEmitter} id={openId} onClose={close} />}
      </div>
    </div>
  )
}
