import { hrefOf, visit } from "../api/Address.ts"
import { type Loaded, useLoading } from "../api/Loading.ts"
import { isNarrow, withUnit } from "../charts/Narrow.ts"
import { StateBadge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { RetriesChart } from "../parts/RetriesChart.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Ago } from "../parts/Time.tsx"
import { NewWebhook } from "../parts/WebhookForms.tsx"
import { chosenSpan, LastDelivered, Latency, Rate, type Span, SpanChoice, spanOf } from "../parts/WebhookHealth.tsx"
import * as Retries from "../resources/Retries.ts"
import * as Webhooks from "../resources/Webhooks.ts"

const pollMs = 10_000

const stepMs = 60_000

const Waiting = ({ id, loaded }: { readonly id: string; readonly loaded: Loaded<Retries.Due> }) => {
  if (loaded.state === "loading") return <span class="note">…</span>
  if (loaded.state === "failed") return <span class="note" title={loaded.failure.message}>unknown</span>
  const { count: waiting, nextMs } = Retries.waitingFor(loaded.value, id)
  if (waiting === 0) return <span class="note">{isNarrow.value ? "no retries" : "–"}</span>
  return (
    <span class="fault">
      {withUnit(waiting, "retry", "retries")}
      {nextMs === undefined ? "" : (
        <>
          , the next <Ago ms={nextMs} />
        </>
      )}
    </span>
  )
}

const columnsOf = (due: Loaded<Retries.Due>, span: Span): ReadonlyArray<RowColumn<Webhooks.StandingWebhook>> => [
  {
    name: "Name",
    width: "minmax(8rem, 1.5fr)",
    sortBy: ({ name }) => name?.toLowerCase() ?? "",
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["webhooks", id])}>
        {name === null ? <span class="note">without a name</span> : <bdi>{harmless(name)}</bdi>}
      </a>
    )
  },
  { name: "State", width: "5.5rem", sortBy: ({ state }) => state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    name: "Success",
    width: "5rem",
    sortBy: ({ health }) => spanOf(health, span).success_rate,
    cell: ({ health }) => <Rate of={spanOf(health, span)} />
  },
  {
    name: "p50",
    width: "4.5rem",
    isWideOnly: true,
    sortBy: ({ health }) => spanOf(health, span).p50_ms,
    cell: ({ health }) => <Latency ms={spanOf(health, span).p50_ms} />
  },
  {
    name: "p95",
    width: "4.5rem",
    isWideOnly: true,
    sortBy: ({ health }) => spanOf(health, span).p95_ms,
    cell: ({ health }) => <Latency ms={spanOf(health, span).p95_ms} />
  },
  {
    name: "Last delivered",
    width: "8rem",
    isWideOnly: true,
    sortBy: ({ health }) => health.last_delivered_at_ms,
    cell: ({ health }) => <LastDelivered atMs={health.last_delivered_at_ms} />
  },
  { name: "Retries", width: "12rem", cell: ({ id }) => <Waiting id={id} loaded={due} /> },
  {
    name: "Sends to",
    width: "minmax(10rem, 2fr)",
    isWideOnly: true,
    sortBy: ({ url }) => url,
    cell: ({ url }) => (
      <code>
        <bdi>{harmless(url)}</bdi>
      </code>
    )
  }
]

/** The list of webhooks, to which events are delivered. */
export default () => {
  const webhooks = useLoading("webhooks", Webhooks.all, { everyMs: pollMs })
  const due = useLoading("due", (signal) => Retries.due(stepMs, signal), { everyMs: pollMs })
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Webhooks</h1>
        <span class="grow" />
        <NewWebhook />
      </div>
      <RetriesChart webhook={undefined} />
      <SearchedRows
        loading={webhooks}
        noun={["webhook", "webhooks"]}
        label="Name, URL or id"
        textsOf={({ id, name, url }) => [id, name, url]}
        columns={columnsOf(due.loaded.value, chosenSpan())}
        filters={<SpanChoice />}
        onOpen={({ id }) => visit(hrefOf(["webhooks", id]))}
        empty={
          <Empty what="There are no webhooks yet.">
            <p>Make one, and subscribe it to an emitter.</p>
          </Empty>
        }
      />
    </div>
  )
}
