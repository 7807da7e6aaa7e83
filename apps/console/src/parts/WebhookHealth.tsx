import { address, setQuery } from "../api/Address.ts"
import { count, duration } from "../charts/Figures.ts"
import type { Health, HealthSpan } from "../resources/Webhooks.ts"
import { Ago } from "./Time.tsx"

const spans = { "1h": "last_1h", "24h": "last_24h", "7d": "last_7d" } as const

export type Span = keyof typeof spans

const words: Readonly<Record<Span, string>> = { "1h": "1 h", "24h": "24 h", "7d": "7 d" }

/** The span that a list of webhooks is about, which the address holds. */
export const chosenSpan = (): Span => {
  const given = address.value.query.get("range")
  return given === "1h" || given === "7d" ? given : "24h"
}

export const SpanChoice = () => (
  <label class="field">
    <span>Health over</span>
    <select
      value={chosenSpan()}
      onChange={({ currentTarget: { value } }) => setQuery({ range: value === "24h" ? "" : value }, "push")}
    >
      {(Object.keys(spans) as ReadonlyArray<Span>).map((span) => <option key={span} value={span}>{words[span]}
      </option>)}
    </select>
  </label>
)

export const spanOf = (health: Health, span: Span): HealthSpan => health[spans[span]]

/** A share as a reader says it: it is 100 % only if it is the whole. */
export const percent = (share: number): string => {
  const rounded = Math.floor(share * 1_000) / 10
  return `${rounded === Math.trunc(rounded) ? rounded : rounded.toFixed(1)} %`
}

export const Rate = ({ of: { attempts, failed_attempts, success_rate } }: { readonly of: HealthSpan }) =>
  success_rate === null
    ? <span class="note">–</span>
    : (
      <span
        class={success_rate < 0.5 ? "fault" : ""}
        title={`${count(failed_attempts)} of ${count(attempts)} attempts failed`}
      >
        {percent(success_rate)}
      </span>
    )

export const Latency = ({ ms }: { readonly ms: number | null }) =>
  ms === null ? <span class="note">–</span> : <>{duration(ms)}</>

export const LastDelivered = ({ atMs }: { readonly atMs: number | null }) =>
  atMs === null ? <span class="note">not in 7 days</span> : <Ago ms={atMs} />

/** The outcomes of a webhook's attempts, over three spans. */
export const HealthTable = ({ health }: { readonly health: Health }) => (
  <section aria-label="Health">
    <div class="bar">
      <h2>Health</h2>
      <span class="note">
        {health.last_delivered_at_ms === null
          ? "nothing was delivered in the last 7 days"
          : (
            <>
              last delivered <Ago ms={health.last_delivered_at_ms} />
            </>
          )}
      </span>
    </div>
    <table class="plain is-health">
      <thead>
        <tr>
          <th>Period</th>
          <th>Success</th>
          <th>Attempts</th>
          <th>Failed</th>
          <th>p50</th>
          <th>p95</th>
        </tr>
      </thead>
      <tbody>
        {(Object.keys(spans) as ReadonlyArray<Span>).map((span) => {
          const of = spanOf(health, span)
          return (
            <tr key={span}>
              <th scope="row">{words[span]}</th>
              <td>
                <Rate of={of} />
              </td>
              <td>{count(of.attempts)}</td>
              <td>{count(of.failed_attempts)}</td>
              <td>
                <Latency ms={of.p50_ms} />
              </td>
              <td>
                <Latency ms={of.p95_ms} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  </section>
)
