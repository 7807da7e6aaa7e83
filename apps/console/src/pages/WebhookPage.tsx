import { useSignal } from "@preact/signals"
import { hrefOf } from "../api/Address.ts"
import { post } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { counted, duration, humanSeconds } from "../charts/Figures.ts"
import * as Graph from "../graph/Graph.ts"
import { Act } from "../parts/Act.tsx"
import { AttemptView } from "../parts/AttemptView.tsx"
import { StateBadge } from "../parts/Badge.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Failed } from "../parts/Failed.tsx"
import { jsonFault } from "../parts/FormDialog.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Opens } from "../parts/Opens.tsx"
import { RetriesChart } from "../parts/RetriesChart.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Subscribed } from "../parts/SubscriptionForms.tsx"
import { Ago, Time } from "../parts/Time.tsx"
import { WebhookActs } from "../parts/WebhookForms.tsx"
import { HealthTable } from "../parts/WebhookHealth.tsx"
import { WebhookTrouble } from "../parts/WebhookTrouble.tsx"
import * as Deliveries from "../resources/Deliveries.ts"
import * as Directory from "../resources/Directory.ts"
import * as Webhooks from "../resources/Webhooks.ts"
import type { Params } from "../routes.ts"

const pollMs = 3_000

const TestDialog = ({ id, onClose, url }: {
  readonly id: string
  readonly url: string
  readonly onClose: () => void
}) => {
  const text = useSignal(JSON.stringify({ type: "test", webhook_id: id, ts: Date.now() }))
  const fault = useSignal<string | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const tested = useSignal<{ readonly result: Webhooks.Tested; readonly sent: string } | undefined>(
    undefined
  )
  const isUnderWay = useSignal(false)
  const send = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay.value) return
    failure.value = undefined
    fault.value = jsonFault(text.value)
    if (fault.value !== undefined) return
    const payload: unknown = JSON.parse(text.value)
    isUnderWay.value = true
    try {
      const result = await Webhooks.test(id, { payload })
      tested.value = { result, sent: JSON.stringify(payload) }
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isUnderWay.value = false
    }
  }
  return (
    <Dialog title="Send a test" isWide onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <p class="note">
          Sends one signed request now, without retries, even while the webhook is paused. It appears in no list or
          statistics.
        </p>
        <label class="field">
          <span>Payload, as JSON</span>
          <textarea
            rows={5}
            spellcheck={false}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
            }}
          />
        </label>
        {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
        {failure.value === undefined ? null : <Failed what="The test was not sent." failure={failure.value} />}
        <div class="dialog-acts">
          <button type="button" class="quiet" onClick={onClose}>Close</button>
          <button type="submit" class="main" disabled={isUnderWay.value}>
            {isUnderWay.value ? "Sending …" : "Send"}
          </button>
        </div>
      </form>
      {tested.value === undefined
        ? null
        : (
          <AttemptView
            attempt={tested.value.result.attempt}
            sent={{ method: "POST", url, body: tested.value.sent }}
          />
        )}
    </Dialog>
  )
}

const ResumeChoice = ({ id, onDone }: { readonly id: string; readonly onDone: () => void }) => (
  <>
    <Act
      needs="run"
      kind="main"
      done="It is active again, and continues where it left off."
      act={async () => {
        await post(["webhooks", id, "resume"])
        onDone()
      }}
    >
      Resume
    </Act>
    <Act
      needs="run"
      ask="Everything waiting for this webhook is dropped. It continues with events emitted from now on."
      done="It is active again. What was waiting has been dropped."
      act={async () => {
        await post(["webhooks", id, "resume"], { body: { from: "now" } })
        onDone()
      }}
    >
      Resume from now on
    </Act>
  </>
)

const signatures: Readonly<Record<Webhooks.WebhookDetails["signature"], string>> = {
  hmac: "HMAC, with the secret",
  ed25519: "Ed25519, with the key pair",
  both: "HMAC with the secret, and Ed25519 with the key pair"
}

const Settings = ({ webhook }: { readonly webhook: Webhooks.WebhookDetails }) => {
  const { circuit, circuit_state } = webhook
  return (
    <dl class="facts">
      <dt>Sends to</dt>
      <dd>
        <code>
          <bdi>{harmless(webhook.url)}</bdi>
        </code>
      </dd>
      <dt>Circuit</dt>
      <dd>
        {circuit === null ? "none: sending never stops by itself" : (
          <>
            <StateBadge state={circuit_state.state} /> {circuit_state.until_ms === null
              ? `${counted(circuit_state.failures, "failure")} in a row; it opens after ${circuit.failures}`
              : (
                <>
                  the next attempt <Ago ms={circuit_state.until_ms} /> decides
                </>
              )}
          </>
        )}
      </dd>
      <dt>Rate</dt>
      <dd>{Webhooks.rateOf(webhook)}</dd>
      <dt>Order</dt>
      <dd>
        {webhook.ordering}, {counted(webhook.concurrency, "first attempt")} at once
      </dd>
      <dt>Retries</dt>
      <dd>
        {webhook.retry_schedule.length === 0
          ? "none"
          : `${counted(webhook.retry_schedule.length, "retry", "retries")}: after ${
            webhook.retry_schedule.map(humanSeconds).join(", ")
          }`}
      </dd>
      <dt>Timeout</dt>
      <dd>{duration(webhook.timeout_ms)}</dd>
      <dt>Signature</dt>
      <dd>{signatures[webhook.signature]}</dd>
      <dt>HTTP/2</dt>
      <dd>{webhook.http2 ? "if the endpoint supports it" : "never"}</dd>
      <dt>Created</dt>
      <dd>
        <Time ms={webhook.created_at * 1_000} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{webhook.id}</code>
      </dd>
    </dl>
  )
}

/** The state of a webhook, its pending deliveries, and its latest ones. */
interface Work {
  readonly node: Graph.GraphNode
  readonly isSubscribed: boolean
  readonly pending: ReadonlyArray<Deliveries.DeliveryResource>
  readonly hasMorePending: boolean
  readonly recent: ReadonlyArray<Deliveries.DeliveryResource>
}

const workOf = async (id: string, signal: AbortSignal): Promise<Work> => {
  const [{ edges, node }, pending, recent] = await Promise.all([
    Graph.one(id, signal),
    Deliveries.list({ webhook_id: id, state: "pending" }, signal),
    Deliveries.list({ webhook_id: id }, signal)
  ])
  return {
    node,
    isSubscribed: edges.length > 0,
    pending: pending.data,
    hasMorePending: pending.page_info.has_more === true,
    recent: recent.data.slice(0, 12)
  }
}

const WorkView = (
  { id, onChange, work }: { readonly id: string; readonly work: Work; readonly onChange: () => void }
) => {
  const { hasMorePending, isSubscribed, node, pending, recent } = work
  const times = pending.flatMap(({ next_attempt_at_ms }) => next_attempt_at_ms === null ? [] : [next_attempt_at_ms])
  return (
    <>
      {node.waiting === 0 ? null : (
        <section aria-label="Waiting">
          <h2>
            {counted(node.waiting, "event")} {node.waiting === 1 ? "waits" : "wait"} for a first attempt
          </h2>
        </section>
      )}
      <section aria-label="Pending">
        <div class="bar">
          <h2>
            {pending.length === 0
              ? "Nothing waits for a retry"
              : `${pending.length}${hasMorePending ? " or more" : ""} ${
                pending.length === 1 && !hasMorePending ? "waits" : "wait"
              } for a retry`}
          </h2>
          {times.length === 0 ? null : (
            <span class="note">
              the next one <Ago ms={Math.min(...times)} />
            </span>
          )}
          {pending.length === 0 ? null : (
            <>
              <Act
                needs="run"
                done="The oldest delivery of each emitter is being attempted."
                act={async () => {
                  await post(["webhooks", id, "force-next"])
                  onChange()
                }}
              >
                Attempt the oldest now
              </Act>
              <a class="button" href={hrefOf(["deliveries"], { webhook_id: id, state: "pending" })}>Show them</a>
            </>
          )}
        </div>
      </section>
      <section aria-label="Last deliveries">
        <div class="bar">
          <h2>Last deliveries</h2>
          <a href={hrefOf(["deliveries"], { webhook_id: id })}>all</a>
        </div>
        {recent.length === 0
          ? (
            <Empty what="Nothing has been sent yet.">
              <p>
                {isSubscribed
                  ? "It is sent the events of the emitters it listens to. Tests are not listed."
                  : "Subscribe this webhook to an emitter, or send a test."}
              </p>
            </Empty>
          )
          : (
            <table class="plain">
              <thead>
                <tr>
                  <th>Started</th>
                  <th>State</th>
                  <th>Last</th>
                  <th>Attempts</th>
                </tr>
              </thead>
              <tbody>
                {recent.map((delivery) => (
                  <tr key={delivery.id}>
                    <td>
                      <a href={hrefOf(["deliveries", delivery.id])}>
                        <Time ms={delivery.started_at_ms} milliseconds />
                      </a>
                    </td>
                    <td>
                      <StateBadge state={delivery.state} />
                    </td>
                    <td>{Deliveries.outcomeOf(delivery)}</td>
                    <td>{delivery.attempt_count}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </section>
    </>
  )
}

const Details = ({ loading, webhook }: {
  readonly webhook: Webhooks.WebhookDetails
  readonly loading: Loading<Webhooks.WebhookDetails>
}) => {
  const { id } = webhook
  const work = useLoading(id, (signal) => workOf(id, signal), { everyMs: pollMs })
  const changed = () => {
    void loading.reload()
    void work.reload()
  }
  const pause = async () => {
    await post(["webhooks", id, "pause"])
    changed()
  }
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(webhook.name ?? "Webhook without a name")}</bdi>
        </h1>
        <StateBadge state={webhook.state} />
        <span class="grow" />
        <Opens needs="run" what="test" name="Send a test …">
          {(close) => <TestDialog id={id} url={webhook.url} onClose={close} />}
        </Opens>
        {webhook.active
          ? <Act needs="run" act={pause} done="It is paused, and will continue where it left off.">Pause</Act>
          : <ResumeChoice id={id} onDone={changed} />}
        <WebhookActs webhook={webhook} onChange={changed} />
      </div>
      {webhook.description === null ? null : (
        <p>
          <bdi>{harmless(webhook.description)}</bdi>
        </p>
      )}
      <WebhookTrouble webhook={webhook} />
      <HealthTable health={webhook.health} />
      <Settings webhook={webhook} />
      <Subscribed id={id} side="listener_id" />
      <RetriesChart webhook={id} />
      <Shown loading={work} what="its deliveries">
        {(found) => <WorkView id={id} work={found} onChange={changed} />}
      </Shown>
    </>
  )
}

/** One webhook: its state, its rate, its pending deliveries, and actions on it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["webhook"]!
  const webhook = useLoading(id, (signal) => Webhooks.one(id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page">
      <Shown loading={webhook} what="the webhook">{(found) => <Details webhook={found} loading={webhook} />}</Shown>
    </div>
  )
}
