import type { RunDetails } from "@headwater/api/WorkflowRunsApi"
import { hrefOf } from "../api/Address.ts"
import { get, post, type Single } from "../api/Api.ts"
import { useLoading } from "../api/Loading.ts"
import { counted } from "../charts/Figures.ts"
import { one as deliveryOf } from "../resources/Deliveries.ts"
import { kindOf } from "../resources/Directory.ts"
import * as Events from "../resources/Events.ts"
import { type Journey, type JourneyNode, mismatches, reasonOf, runWordOf, waits } from "../resources/Journey.ts"
import * as Outcome from "../resources/Outcome.ts"
import * as Sent from "../resources/Sent.ts"
import * as Sources from "../resources/Sources.ts"
import * as Webhooks from "../resources/Webhooks.ts"
import { Act } from "./Act.tsx"
import { AttemptView } from "./AttemptView.tsx"
import { StateBadge } from "./Badge.tsx"
import { ErrorItem } from "./ErrorItem.tsx"
import { Stream } from "./EventCells.tsx"
import { harmless } from "./Harmless.ts"
import { LinkedName, Name } from "./Name.tsx"
import { Payload } from "./Payload.tsx"
import { RunSteps } from "./RunSteps.tsx"
import { Shown } from "./Shown.tsx"
import { Ago, Time } from "./Time.tsx"

type Of<Type extends JourneyNode["type"]> = Extract<JourneyNode, { readonly type: Type }>

const EventDetails = ({ isOwn, node }: { readonly node: Of<"event">; readonly isOwn: boolean }) => {
  const { emitter_id, event_id } = node
  const event = useLoading(`${emitter_id}/${event_id}`, (signal) => Events.one(emitter_id, event_id, signal))
  return (
    <>
      <div class="bar">
        <h2>
          Event of <Name id={emitter_id} />
        </h2>
        {isOwn ? null : <a class="button" href={hrefOf(["events", emitter_id, event_id])}>Trace the event</a>}
        <a href={hrefOf(["deliveries"], { emitter_id, event_id })}>Its deliveries</a>
      </div>
      <Shown loading={event} what="the event">
        {(found) => (
          <>
            <dl class="facts">
              <dt>Emitted</dt>
              <dd>
                <Time ms={node.indexed_at_ms} milliseconds />
              </dd>
              <dt>Stream</dt>
              <dd>
                <Stream name={Events.streamOf(found)} />
              </dd>
              <dt>Emit id</dt>
              <dd>
                <code>{found.metadata.emit_id}</code>
              </dd>
              <dt>Hops</dt>
              <dd>{node.hops ?? "unknown"}</dd>
            </dl>
            <Payload value={Events.payloadOf(found)} />
          </>
        )}
      </Shown>
    </>
  )
}

const WorkflowRun = ({ run, workflow }: { readonly workflow: string; readonly run: string }) => {
  const loading = useLoading(
    `${workflow}/${run}`,
    async (signal) => (await get<Single<RunDetails>>(["workflows", workflow, "runs", run], { signal })).data
  )
  return (
    <Shown loading={loading} what="the run">
      {(found) => (
        <>
          {found.error === null ? null : <p class="fault">{harmless(`${found.error.name}: ${found.error.message}`)}</p>}
          {found.exit_reason === null ? null : (
            <p>
              It was ended early by a step{found.exit_reason === "" ? "." : `: ${harmless(found.exit_reason)}`}
            </p>
          )}
          <RunSteps run={found} />
        </>
      )}
    </Shown>
  )
}

/** The error that a run threw, read from the event that it left on `$errors`. */
const RunError = ({ left: { emitter_id, event_id } }: { readonly left: Of<"event"> }) => {
  const loading = useLoading(
    `${emitter_id}/${event_id}`,
    (signal) => Outcome.errorOf(emitter_id, event_id, signal)
  )
  return (
    <Shown loading={loading} what="its error">
      {(error) => (
        <ul class="errors">
          <ErrorItem
            id={emitter_id}
            error={error}
            codeHref={kindOf(emitter_id) === "source"
              ? (thrown) => Sources.codeHref({ id: emitter_id }, thrown)
              : undefined}
          />
        </ul>
      )}
    </Shown>
  )
}

const RunNodeDetails = ({ errors, node, of }: {
  readonly node: Of<"run">
  readonly of: Of<"event"> | undefined
  /** The events that the run left on `$errors`. */
  readonly errors: ReadonlyArray<Of<"event">>
}) => {
  const { error, listener_id, logs, run_id, state } = node
  const isWorkflow = kindOf(listener_id) === "workflow"
  return (
    <>
      <div class="bar">
        <h2>
          Run of <Name id={listener_id} />
        </h2>
        <StateBadge state={runWordOf(state)} />
        {isWorkflow && run_id !== null
          ? (
            <Act
              needs="run"
              done="It was started again, as a new run."
              act={() => post(["workflows", listener_id, "runs", run_id, "rerun"])}
            >
              Run again
            </Act>
          )
          : null}
      </div>
      <dl class="facts">
        {node.started_at_ms === null ? null : (
          <>
            <dt>Started</dt>
            <dd>
              <Time ms={node.started_at_ms} milliseconds />
            </dd>
          </>
        )}
        <dt>Console</dt>
        <dd>
          {logs === 0
            ? "nothing"
            : <a href={hrefOf(["events"], { emitter: listener_id, stream: "$logs" })}>{counted(logs, "line")}</a>}
        </dd>
        {state !== "failed" ? null : (
          <>
            <dt>Error</dt>
            <dd>
              {error === null ? "" : `${harmless(`${error.name}: ${error.message}`)} `}
              <a href={hrefOf(["events"], { emitter: listener_id, stream: "$errors" })}>all errors of this emitter</a>
            </dd>
          </>
        )}
        {of === undefined ? null : (
          <>
            <dt>Input</dt>
            <dd>
              <code>{of.event_id}</code>
            </dd>
          </>
        )}
      </dl>
      {isWorkflow && run_id !== null
        ? <WorkflowRun workflow={listener_id} run={run_id} />
        : errors.map((left) => <RunError key={left.id} left={left} />)}
    </>
  )
}

const DeliveryNodeDetails = ({ node, of, onChange }: {
  readonly node: Of<"delivery">
  readonly of: Of<"event"> | undefined
  readonly onChange: () => void
}) => {
  const { delivery_id, last_attempt, next_attempt_at_ms, state, waiting_for, webhook_id } = node
  return (
    <>
      <div class="bar">
        <h2>
          {webhook_id === null ? "Request of the workflow's own" : (
            <>
              Delivery to <LinkedName id={webhook_id} />
            </>
          )}
        </h2>
        <StateBadge state={state} />
        {delivery_id === null ? null : (
          <>
            <Act
              needs="run"
              done="It will be attempted as soon as the webhook can take it."
              act={async () => {
                await post(["deliveries", delivery_id, "retry"])
                onChange()
              }}
            >
              Retry
            </Act>
            <a class="button" href={hrefOf(["deliveries", delivery_id])}>All attempts</a>
          </>
        )}
        {of === undefined || webhook_id === null ? null : (
          <Act
            needs="run"
            done="The event is being sent again, as a new delivery."
            act={() =>
              post(["webhooks", webhook_id, "replay"], {
                body: { emitter_id: of.emitter_id, from: of.event_id, to: of.event_id }
              })}
          >
            Replay
          </Act>
        )}
      </div>
      <dl class="facts">
        <dt>Attempts</dt>
        <dd>{node.attempts}</dd>
        {next_attempt_at_ms === null ? null : (
          <>
            <dt>Next</dt>
            <dd>
              <Ago ms={next_attempt_at_ms} />
            </dd>
          </>
        )}
        {waiting_for === undefined ? null : (
          <>
            <dt>Waits</dt>
            <dd>{waits[waiting_for] ?? waiting_for}</dd>
          </>
        )}
      </dl>
      {delivery_id === null || last_attempt === null
        ? null
        : <LastAttempt delivery={delivery_id} of={of} to={webhook_id} count={node.attempts} key={delivery_id} />}
    </>
  )
}

const LastAttempt = ({ count, delivery, of, to }: {
  readonly delivery: string
  readonly of: Of<"event"> | undefined
  /** The id of its webhook; null for a request of the workflow's own. */
  readonly to: string | null
  /** The number of attempts. */
  readonly count: number
}) => {
  const loading = useLoading(`${delivery}/${of?.event_id}/${count}`, async (signal) => {
    const [found, webhook, event] = await Promise.all([
      deliveryOf(delivery, signal),
      to === null ? undefined : Webhooks.one(to, signal),
      of === undefined ? undefined : Events.one(of.emitter_id, of.event_id, signal)
    ])
    return {
      attempt: found.attempts.at(-1),
      sent: to === null ? Sent.byWorkflow(event) : Sent.toWebhook(webhook?.url, event)
    }
  })
  return (
    <Shown loading={loading} what="the last attempt">
      {({ attempt, sent }) => attempt === undefined ? null : <AttemptView attempt={attempt} sent={sent} />}
    </Shown>
  )
}

const errorsOf = ({ edges, nodes }: Journey, run: Of<"run">): ReadonlyArray<Of<"event">> => {
  const left = new Set(edges.filter(({ from }) => from === run.id).map(({ to }) => to))
  return nodes.flatMap((node) =>
    node.type === "event" && node.event_name === "$errors" && left.has(node.id) ? [node] : []
  )
}

/** The details of one stop on an event's way, and actions on it. */
export const JourneyDetails = ({ journey, node, onChange }: {
  readonly journey: Journey
  readonly node: JourneyNode
  readonly onChange: () => void
}) => {
  const edge = journey.edges.find(({ to }) => to === node.id)
  const before = journey.nodes.find(({ id }) => id === edge?.from)
  const of = before?.type === "event" ? before : undefined
  switch (node.type) {
    case "event":
      return <EventDetails node={node} isOwn={node === journey.nodes[0]} />
    case "run":
      return <RunNodeDetails node={node} of={of} errors={errorsOf(journey, node)} />
    case "delivery":
      return <DeliveryNodeDetails node={node} of={of} onChange={onChange} />
    case "request":
      return (
        <>
          <h2>
            {node.kind === "http" ? "Request to" : `${node.kind ?? "Request"} of`} <Name id={node.emitter_id} />
          </h2>
          <dl class="facts">
            <dt>Received</dt>
            <dd>
              <Time ms={node.received_at_ms} milliseconds />
            </dd>
            <dt>Its id</dt>
            <dd>{node.emit_id === null ? "the server no longer stores it" : <code>{node.emit_id}</code>}</dd>
          </dl>
        </>
      )
    case "consumer":
      return (
        <>
          <div class="bar">
            <h2>
              Consumer <Name id={node.consumer_id} />
            </h2>
            <StateBadge state={node.state} />
          </div>
          <p>{node.state === "waiting" ? "It has not committed this event yet." : "It has committed this event."}</p>
        </>
      )
    case "listener":
      return (
        <>
          <h2>
            Does not reach <Name id={node.listener_id} />
          </h2>
          <p>
            {edge === undefined || edge.reason === null ? "" : `${mismatches[edge.reason]}.`}{" "}
            {edge?.clause === undefined ? null : (
              <>
                The clause <code>{harmless(edge.clause)}</code> does not hold.
              </>
            )}
          </p>
          {edge?.subscription_id === undefined || edge.subscription_id === null
            ? null
            : (
              <p class="note" title={reasonOf(edge)}>
                By the subscription <code>{edge.subscription_id}</code>.
              </p>
            )}
        </>
      )
  }
}
