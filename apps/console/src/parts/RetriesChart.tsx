import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLoading } from "../api/Loading.ts"
import { count, counted, humanSeconds } from "../charts/Figures.ts"
import * as Directory from "../resources/Directory.ts"
import { type Due, due as dueIn, steps } from "../resources/Retries.ts"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { Stale } from "./Stale.tsx"
import { Tabs } from "./Tabs.tsx"
import { local } from "./Time.tsx"

const pollMs = 10_000

/** The length of a step for each span of the chart, in milliseconds. */
const stepOf = { hour: 60_000, day: 24 * 60_000, week: 168 * 60_000 } as const

type Span = keyof typeof stepOf

/** The most characters of a name in a line of several names. */
const maxName = 60

const height = 56
const gap = 1
const bar = 10

/** The number of retries that are due in each step, over the selected webhooks. */
const sums = (due: Due, webhook: string | undefined) => {
  const meant = due.webhooks.filter(({ webhook_id }) => webhook === undefined || webhook_id === webhook)
  const inSteps = Array.from({ length: steps }, (_, step) => meant.reduce((sum, one) => sum + (one.due[step] ?? 0), 0))
  return { meant, inSteps, later: meant.reduce((sum, one) => sum + one.later, 0) }
}

/** A chart of the times at which waiting retries are due. It is absent while none wait. */
export const RetriesChart = ({ nameOf = Directory.nameOf, webhook }: {
  /** The id of the webhook; undefined for all. */
  readonly webhook: string | undefined
  /** Gives the name for an id, if the page knows it better; undefined while the page does not know it yet. */
  readonly nameOf?: (id: string) => string | undefined
}) => {
  const span = useSignal<Span>("hour")
  const step = stepOf[span.value]
  const loading = useLoading(`${step}`, (signal) => dueIn(step, signal), { everyMs: pollMs })
  const loaded = loading.loaded.value
  const isNaming = webhook === undefined && nameOf === Directory.nameOf && "value" in loaded &&
    loaded.value.webhooks.length > 0
  useEffect(() => {
    if (isNaming) void Directory.refresh()
  }, [isNaming])
  if (loaded.state === "loading") return null
  if (loaded.state === "failed") {
    return (
      <Failed
        what="The retries could not be counted."
        failure={loaded.failure}
        onRetry={() => void loading.reload()}
      />
    )
  }
  const due = loaded.value
  const { inSteps, later, meant } = sums(due, webhook)
  const most = Math.max(1, ...inSteps)
  const soon = inSteps.reduce((sum, one) => sum + one, 0)
  if (soon + later === 0) return null
  const sum = ({ due, later }: Due["webhooks"][number]) => due.reduce((all, one) => all + one, later)
  const busiest = meant.toSorted((a, b) => sum(b) - sum(a)).slice(0, 3).flatMap(({ webhook_id, workflow_id }) =>
    nameOf(webhook_id ?? workflow_id ?? "") ?? []
  )
  return (
    <section class="chart" aria-label="Retries by time">
      {loaded.state === "stale"
        ? <Stale atMs={loaded.atMs} failure={loaded.failure} onRetry={() => void loading.reload()} />
        : null}
      <div class="bar">
        <h2>{counted(soon, "retry", "retries")} in the next {span.value}</h2>
        <span class="note">
          {later === 0 ? "none later" : `${count(later)} later`}
          {due.is_cut ? ", and more than were counted" : ""}
          {webhook !== undefined || busiest.length === 0
            ? ""
            : `; to ${busiest.map((name) => harmless(name.slice(0, maxName))).join(", ")}${
              meant.length > busiest.length ? ` and ${count(meant.length - busiest.length)} more` : ""
            }`}
        </span>
        <Tabs
          label="Range of the chart"
          chosen={span.value}
          choices={[["hour", "1 h"], ["day", "1 day"], ["week", "1 week"]]}
          onChoose={(chosen) => {
            span.value = chosen
          }}
        />
      </div>
      <svg
        class="bars"
        viewBox={`0 0 ${steps * (bar + gap)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${counted(soon, "retry", "retries")} are due in the next ${span.value}, at most ${
          count(most)
        } in ${humanSeconds(step / 1_000)}`}
      >
        {inSteps.map((value, index) => {
          const tall = value === 0 ? 0 : Math.max(2, (value / most) * height)
          const from = due.from_ms + index * step
          return (
            <g key={index}>
              <title>{`${counted(value, "retry", "retries")} from ${local(from)} to ${local(from + step)}`}</title>
              <rect class="bars-ground" x={index * (bar + gap)} y={0} width={bar} height={height} />
              <rect x={index * (bar + gap)} y={height - tall} width={bar} height={tall} />
            </g>
          )
        })}
      </svg>
      <div class="chart-ends note">
        <span>now</span>
        <span>{local(due.from_ms + steps * step)}</span>
      </div>
    </section>
  )
}
