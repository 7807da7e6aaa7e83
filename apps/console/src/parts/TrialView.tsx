import type { ComponentChildren } from "preact"
import { counted, duration } from "../charts/Figures.ts"
import { placeText } from "../code/CodePlace.ts"
import { spelled } from "../resources/Events.ts"
import type { TrialResult } from "../resources/Trials.ts"
import { StateBadge } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import { JsonTree } from "./JsonTree.tsx"
import { Time } from "./Time.tsx"

/** The most characters of a text that are shown. */
const maxText = 2_000

/** The most items of a kind that are shown. */
const maxShown = 200

const Safe = ({ text }: { readonly text: string }) => <bdi>{harmless(text.slice(0, maxText))}</bdi>

const Section = <A extends NonNullable<unknown>>({ children, items, title }: {
  readonly title: string
  readonly items: ReadonlyArray<A>
  readonly children: (items: ReadonlyArray<A>) => ComponentChildren
}) =>
  items.length === 0 ? null : (
    <section class="block" aria-label={title}>
      <h3>{title}</h3>
      {children(items.slice(0, maxShown))}
      {items.length > maxShown ? <p class="note">The first {maxShown} of {items.length}.</p> : null}
    </section>
  )

const ofStep = (step: string | null) => step === null ? null : <span class="note">{harmless(step)}</span>

const Fault = ({ error }: { readonly error: NonNullable<TrialResult["error"]> }) => (
  <>
    <p class="fault">
      <Safe text={`${error.name}: ${error.message}`} /> {error.line === undefined ? null : (
        <span class="note">
          at {placeText({ line: error.line, column: error.column ?? 1 })}
          {error.step === null ? "" : ` in the step ${harmless(error.step)}`}
        </span>
      )}
    </p>
    {error.stack === "" ? null : (
      <details>
        <summary>Stack</summary>
        <pre class="raw" tabIndex={0}><bdi>{harmless(error.stack.slice(0, 20_000))}</bdi></pre>
      </details>
    )}
  </>
)

const Value = ({ item, name }: { readonly item: object; readonly name: "after" | "before" }) =>
  name in item ? <JsonTree value={Reflect.get(item, name)} /> : <span class="note">nothing</span>

const Steps = ({ steps }: { readonly steps: TrialResult["steps"] }) => (
  <Section title="Steps" items={steps}>
    {(shown) => (
      <ol class="run-steps">
        {shown.map((step, index) => (
          <li key={index}>
            <div class="bar">
              <b>
                <Safe text={step.name} />
              </b>
              <StateBadge state={step.outcome} />
              <span class="note">
                {duration(step.wall_ms)}
                {step.is_rerun ? ", runs again" : ""}
                {step.wait_ms === null ? "" : `, would wait ${duration(step.wait_ms)}`}
              </span>
            </div>
            {step.configured_props === null ? null : (
              <details>
                <summary>Props</summary>
                <JsonTree value={step.configured_props} />
              </details>
            )}
            {step.exports === undefined ? null : <JsonTree value={step.exports} />}
          </li>
        ))}
      </ol>
    )}
  </Section>
)

const Events = ({ emits }: { readonly emits: TrialResult["emits"] }) => (
  <Section title="Events" items={emits}>
    {(shown) => (
      <ul class="tried">
        {shown.map(({ due_at_ms, event, event_name, id, step, summary }, index) => (
          <li key={index}>
            <div class="bar">
              <code>
                <Safe text={spelled(event_name)} />
              </code>
              {summary === undefined ? null : <Safe text={summary} />}
              {id === undefined ? null : (
                <span class="note">
                  id <Safe text={String(id)} />
                </span>
              )}
              {due_at_ms === null ? null : (
                <span class="note">
                  at <Time ms={due_at_ms} />
                </span>
              )}
              {ofStep(step)}
            </div>
            <JsonTree value={event} />
          </li>
        ))}
      </ul>
    )}
  </Section>
)

const StoreChanges = ({ changes }: { readonly changes: TrialResult["db"] }) => (
  <Section title="Store" items={changes}>
    {(shown) => (
      <div class="wide-table" tabIndex={0} role="group" aria-label="Changes of the store">
        <table class="plain changes">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((change) => (
              <tr key={change.key}>
                <td>
                  <code>
                    <Safe text={change.key} />
                  </code>
                </td>
                <td>
                  <Value item={change} name="before" />
                </td>
                <td>
                  <Value item={change} name="after" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </Section>
)

const Requests = ({ requests }: { readonly requests: TrialResult["requests"] }) => (
  <Section title="Requests it made" items={requests}>
    {(made) => (
      <ul class="tried">
        {made.map(({ error, method, status, url, wall_ms }, index) => (
          <li key={index} class="bar">
            <code>{harmless(method)}</code>
            <Safe text={url} />
            <span class={error === undefined ? "" : "fault"}>{error === undefined ? status : harmless(error)}</span>
            <span class="note">{duration(wall_ms)}</span>
          </li>
        ))}
      </ul>
    )}
  </Section>
)

/** The connections that are not those of its requests, or that failed. */
const OtherConnections = ({ connections, requests }: Pick<TrialResult, "connections" | "requests">) => {
  const own = new Set(requests.flatMap(({ url }) => URL.canParse(url) ? [new URL(url).hostname] : []))
  const others = connections.filter(({ error, host }) => error !== undefined || !own.has(host))
  return (
    <Section title="Other connections" items={others}>
      {(made) => (
        <ul class="tried">
          {made.map(({ error, host, port }, index) => (
            <li key={index} class="bar">
              <Safe text={`${host}:${port}`} />
              {error === undefined ? null : (
                <span class="fault">
                  <Safe text={error} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const LaterRequests = ({ sends }: { readonly sends: TrialResult["sends"] }) => (
  <Section title="Requests to be sent later" items={sends}>
    {(shown) => (
      <ul class="tried">
        {shown.map(({ body, method, url }, index) => (
          <li key={index}>
            <div class="bar">
              <code>{method}</code>
              <Safe text={url} />
            </div>
            {body === undefined ? null : <pre class="raw" tabIndex={0}><Safe text={body} /></pre>}
          </li>
        ))}
      </ul>
    )}
  </Section>
)

const Response = ({ response }: { readonly response: NonNullable<TrialResult["response"]> }) => (
  <section class="block" aria-label="Response">
    <h3>Response</h3>
    <p class="bar">
      <StateBadge state={String(response.status)} />
      <span class="note">{harmless([response.headers["content-type"] ?? ""].flat().join(", "))}</span>
    </p>
    {response.body === "" ? null : (
      <pre class="raw" tabIndex={0}>
        <bdi>{response.base64 ? "not text" : harmless(response.body.slice(0, 20_000))}</bdi>
      </pre>
    )}
  </section>
)

const ConsoleLines = ({ logs }: { readonly logs: TrialResult["logs"] }) => (
  <Section title="Console output" items={logs}>
    {(lines) => (
      <div class="console" tabIndex={0} role="group" aria-label="Console lines">
        {lines.map(({ level, message, step }, index) => (
          <p key={index} class={`console-line is-${level}`}>
            <span class="console-level">{level}</span> {ofStep(step)} <Safe text={message} />
          </p>
        ))}
      </div>
    )}
  </Section>
)

const Ticks = ({ timers }: { readonly timers: TrialResult["timers"] }) => (
  <Section title="Next timer ticks" items={timers}>
    {(shown) => (
      <ul class="tried">
        {shown.map(({ due_at_ms, prop }) => (
          <li key={prop} class="bar">
            <code>{harmless(prop)}</code>
            {due_at_ms.map((ms) => <Time key={ms} ms={ms} />)}
          </li>
        ))}
      </ul>
    )}
  </Section>
)

/** The effects that a trial run would have had. None of them was kept. */
export const TrialView = ({ trial }: { readonly trial: TrialResult }) => {
  const { connections, duplicates, error, omitted, requests, response } = trial
  return (
    <div class="trial">
      <p class="bar" role="status">
        <StateBadge state={trial.outcome} />
        <span>
          It would emit {counted(trial.emits.length, "event")} and change {counted(trial.db.length, "key")}{" "}
          of its store. Nothing was kept.
        </span>
        <span class="note">
          {trial.trigger}, {duration(trial.wall_ms)}, {duration(trial.cpu_ms)} of CPU time
        </span>
      </p>
      {error === null ? null : <Fault error={error} />}
      <Steps steps={trial.steps} />
      {trial.exit_reason === null ? null : (
        <p>
          It ended itself: <Safe text={trial.exit_reason} />
        </p>
      )}
      <Events emits={trial.emits} />
      {duplicates === 0 ? null : <p class="note">{counted(duplicates, "emit")} would be left out as duplicates.</p>}
      <StoreChanges changes={trial.db} />
      <Requests requests={requests} />
      <OtherConnections connections={connections} requests={requests} />
      <LaterRequests sends={trial.sends} />
      {response === null ? null : <Response response={response} />}
      <ConsoleLines logs={trial.logs} />
      <Ticks timers={trial.timers} />
      <details>
        <summary>Input of the code</summary>
        <JsonTree value={trial.event} />
      </details>
      {omitted === 0 ? null : <p class="note">{counted(omitted, "more entry", "more entries")} not shown.</p>}
    </div>
  )
}
