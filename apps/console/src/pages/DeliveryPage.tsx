import { hrefOf } from "../api/Address.ts"
import { post } from "../api/Api.ts"
import { useLoading } from "../api/Loading.ts"
import { counted } from "../charts/Figures.ts"
import { Act } from "../parts/Act.tsx"
import { AttemptView } from "../parts/AttemptView.tsx"
import { StateBadge } from "../parts/Badge.tsx"
import { Stream } from "../parts/EventCells.tsx"
import { LinkedName, Name } from "../parts/Name.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Ago, Time } from "../parts/Time.tsx"
import { type DeliveryDetails, one, reasons } from "../resources/Deliveries.ts"
import * as Directory from "../resources/Directory.ts"
import * as Events from "../resources/Events.ts"
import * as Sent from "../resources/Sent.ts"
import * as Webhooks from "../resources/Webhooks.ts"
import type { Params } from "../routes.ts"

const pollMs = 2_000

/** The request of the attempts, as far as it is still known. */
const useSent = ({ emitter_id, event_id, webhook_id }: DeliveryDetails): Sent.Sent => {
  const event = useLoading(`${emitter_id}/${event_id}`, (signal) => Events.one(emitter_id, event_id, signal))
  const webhook = useLoading(
    webhook_id ?? "",
    async (signal) => webhook_id === null ? { url: undefined } : { url: (await Webhooks.one(webhook_id, signal)).url }
  )
  const found = event.loaded.value
  const target = webhook.loaded.value
  const known = found.state === "shown" ? found.value : undefined
  return webhook_id === null
    ? Sent.byWorkflow(known)
    : Sent.toWebhook(target.state === "shown" ? target.value.url : undefined, known)
}

const Details = ({ delivery, onChange }: { readonly delivery: DeliveryDetails; readonly onChange: () => void }) => {
  const sent = useSent(delivery)
  const { attempts, batch, next_attempt } = delivery
  const retry = async () => {
    await post(["deliveries", delivery.id, "retry"])
    onChange()
  }
  const skip = async () => {
    await post(["deliveries", delivery.id, "skip"])
    onChange()
  }
  const replay = async () => {
    const { emitter_id, event_id, webhook_id } = delivery
    await post(["webhooks", webhook_id!, "replay"], {
      body: { emitter_id, from: event_id, to: batch?.last_event_id ?? event_id }
    })
  }
  return (
    <>
      <div class="page-head">
        <h1>
          Delivery to {delivery.webhook_id === null ? "a workflow's target" : <Name id={delivery.webhook_id} />}
        </h1>
        <StateBadge state={delivery.state} />
        <span class="grow" />
        <Act needs="run" act={retry} done="It will be attempted as soon as the webhook can take it.">Retry</Act>
        {delivery.state === "pending" ? <Act needs="run" act={skip} done="It was dropped.">Skip</Act> : null}
        {delivery.webhook_id === null ?
          null :
          (
            <Act
              needs="run"
              act={replay}
              done={batch === undefined
                ? "The event is being sent again, as a new delivery."
                : "Its events are being sent again, each as a new delivery."}
            >
              Replay
            </Act>
          )}
      </div>
      <dl class="facts">
        <dt>Event</dt>
        <dd>
          <a href={hrefOf(["events", delivery.emitter_id, delivery.event_id])}>
            <code>{delivery.event_id}</code>
          </a>{" "}
          {batch === undefined ? null : (
            <>
              to{" "}
              <a href={hrefOf(["events", delivery.emitter_id, batch.last_event_id])}>
                <code>{batch.last_event_id}</code>
              </a>, a batch of {counted(batch.event_count, "event")},
            </>
          )} of <Name id={delivery.emitter_id} />, stream <Stream name={delivery.event_name || "default"} />
        </dd>
        {delivery.webhook_id === null ? null : (
          <>
            <dt>Webhook</dt>
            <dd>
              <LinkedName id={delivery.webhook_id} />
            </dd>
          </>
        )}
        <dt>Started</dt>
        <dd>
          <Time ms={delivery.started_at_ms} milliseconds />
        </dd>
        <dt>Next attempt</dt>
        <dd>
          {next_attempt === null
            ? "none"
            : (
              <>
                <Ago ms={next_attempt.at_ms} />: {reasons[next_attempt.reason]}
              </>
            )}
        </dd>
        <dt>Delivery id</dt>
        <dd>
          <code>{delivery.id}</code>
        </dd>
      </dl>
      <section class="attempts" aria-label="Attempts">
        <h2>{attempts.length === 0 ? "No attempt yet" : "Attempts, newest first"}</h2>
        {attempts.toReversed().map((attempt) => <AttemptView key={attempt.attempt} attempt={attempt} sent={sent} />)}
      </section>
    </>
  )
}

/** One event on its way to one webhook, with every attempt. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["delivery"]!
  const delivery = useLoading(id, (signal) => one(id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page">
      <Shown loading={delivery} what="the delivery">
        {(found) => <Details delivery={found} onChange={() => void delivery.reload()} />}
      </Shown>
    </div>
  )
}
