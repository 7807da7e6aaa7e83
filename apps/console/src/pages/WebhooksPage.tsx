import { hrefOf, visit } from "../api/Address.ts"
import { type Loaded, useLoading } from "../api/Loading.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { isNarrow, withUnit } from "../charts/Narrow.ts"
import { StateBadge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { RetriesChart } from "../parts/RetriesChart.tsx"
import { Ago } from "../parts/Time.tsx"
import { NewWebhook } from "../parts/WebhookForms.tsx"
import { WebhookState } from "../parts/WebhookState.tsx"
import * as Retries from "../resources/Retries.ts"
import * as Webhooks from "../resources/Webhooks.ts"

const pollMs = 10_000

const stepMs = 60_000

/** The state and the rate of one webhook, which are not in the list. */
const Standing = ({ id }: { readonly id: string }) => {
  const webhook = useLoading(id, (signal) => Webhooks.one(id, signal), { everyMs: pollMs })
  const loaded = webhook.loaded.value
  if (loaded.state === "loading") return <span class="note">…</span>
  if (loaded.state === "failed") return <span class="note" title={loaded.failure.message}>unknown</span>
  const { circuit, circuit_state } = loaded.value
  return (
    <>
      <WebhookState webhook={loaded.value} />{" "}
      {circuit === null ? null : <StateBadge state={circuit_state.state} title="Its circuit" />}{" "}
      <span class="note">
        {isNarrow.value && loaded.value.rate_limit === null ? "" : Webhooks.rateOf(loaded.value)}
      </span>
    </>
  )
}

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

const columnsOf = (due: Loaded<Retries.Due>): ReadonlyArray<RowColumn<Webhooks.WebhookResource>> => [
  {
    name: "Name",
    width: "minmax(8rem, 1fr)",
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["webhooks", id])}>
        {name === null ? <span class="note">without a name</span> : <bdi>{harmless(name)}</bdi>}
      </a>
    )
  },
  { name: "State, circuit and rate", width: "16rem", cell: ({ id }) => <Standing id={id} /> },
  { name: "Retries", width: "13rem", cell: ({ id }) => <Waiting id={id} loaded={due} /> },
  {
    name: "Sends to",
    width: "minmax(12rem, 2fr)",
    cell: ({ url }) => (
      <code>
        <bdi>{harmless(url)}</bdi>
      </code>
    )
  }
]

/** The list of webhooks, to which events are delivered. */
export default () => {
  const webhooks = usePagedList("webhooks", Webhooks.list)
  const due = useLoading("due", (signal) => Retries.due(stepMs, signal), { everyMs: pollMs })
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Webhooks</h1>
        <span class="grow" />
        <NewWebhook />
      </div>
      <RetriesChart webhook={undefined} />
      <PagedRows
        list={webhooks}
        noun={["webhook", "webhooks"]}
        columns={columnsOf(due.loaded.value)}
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
