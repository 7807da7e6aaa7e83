import { useRef } from "preact/hooks"
import { address, hrefOf, setQuery } from "../api/Address.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { count, counted, duration } from "../charts/Figures.ts"
import type { Tone } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Errors } from "../parts/Errors.tsx"
import { Failed } from "../parts/Failed.tsx"
import { harmless } from "../parts/Harmless.ts"
import { NodesTable } from "../parts/NodesTable.tsx"
import { NodeBadge } from "../parts/NodeState.tsx"
import { percent, quotaNames, Quotas, shareOf } from "../parts/Quotas.tsx"
import { RetriesChart } from "../parts/RetriesChart.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Stale } from "../parts/Stale.tsx"
import { type ChartSeries, type Colour, StepChart } from "../parts/StepChart.tsx"
import { Tabs } from "../parts/Tabs.tsx"
import { Ago } from "../parts/Time.tsx"
import * as AccountFigures from "../resources/AccountFigures.ts"
import * as Directory from "../resources/Directory.ts"
import * as ErrorGroups from "../resources/ErrorGroups.ts"
import * as Nodes from "../resources/Nodes.ts"
import { pageOf } from "../resources/ThingPage.ts"
import * as Trouble from "../resources/Trouble.ts"

type Figures = AccountFigures.Figures
type Step = AccountFigures.FigureStep
type Now = AccountFigures.AccountNow

const pollMs = 10_000

/** One fact about the account in a few words, and a link to the details if there are any. */
interface Tile {
  readonly name: string
  readonly value: string
  readonly note: preact.ComponentChildren
  readonly tone: Tone
  readonly href?: string
}

/** The tiles in their order, with one value for all while no figures are known. */
const tilesWithout = (value: string): ReadonlyArray<Tile> =>
  ["Waiting", "Retries", "Webhooks", "Programs", "Errors", "Exhausted", "Quotas", "Accounting"].map((name) => ({
    name,
    value,
    note: "",
    tone: "plain"
  }))

/** The troubles of webhooks, the worst first. */
const webhookTroubles = ({ disabled, failing, open, throttled }: Now["webhooks"]): ReadonlyArray<string> =>
  ([[disabled, "disabled"], [failing, "failing"], [open, "circuit open"], [throttled, "throttled"]] as const)
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${count(number)} ${what}`)

/** Stands for a value that is not known yet. */
const toCome = "…"

/** @param figures the figures of the shown time range, once they are there */
const tilesOf = (now: Now, figures: Figures | undefined): ReadonlyArray<Tile> => {
  const { imbalances, is_cut, oldest_at_ms, pending, quotas, sources, waiting, webhooks, workflows } = now
  const more = is_cut ? "+" : ""
  const errors = figures === undefined ? undefined : AccountFigures.sum(figures.series, ({ errors }) => errors)
  const exhausted = figures === undefined ? undefined : AccountFigures.sum(figures.series, ({ exhausted }) => exhausted)
  const [worst, ...others] = webhookTroubles(webhooks)
  const paused = sources.total - sources.active + workflows.total - workflows.active
  const fullest = quotas.toSorted((a, b) => shareOf(b) - shareOf(a))[0]
  const fullness = fullest === undefined ? 0 : shareOf(fullest)
  return [
    {
      name: "Waiting",
      value: count(waiting) + (waiting > 0 ? more : ""),
      note: oldest_at_ms === null
        ? "events: all listeners are up to date"
        : (
          <>
            events, the oldest <Ago ms={oldest_at_ms} />
          </>
        ),
      tone: waiting === 0 ? "plain" : "waiting"
    },
    {
      name: "Retries",
      value: count(pending) + (pending > 0 ? more : ""),
      note: pending === 0 ? "nothing is pending" : `${pending === 1 ? "delivery" : "deliveries"} pending`,
      tone: pending === 0 ? "plain" : "waiting",
      href: hrefOf(["deliveries"], { state: "pending" })
    },
    {
      name: "Webhooks",
      value: worst ?? (webhooks.total === 0 ? "none" : webhooks.active === 0 ? "paused" : "active"),
      note: [...others, `${count(webhooks.active)} of ${count(webhooks.total)} active`].join(", "),
      tone: webhooks.failing + webhooks.disabled + webhooks.open > 0
        ? "bad"
        : webhooks.throttled > 0
        ? "waiting"
        : "plain",
      href: hrefOf(["webhooks"])
    },
    {
      name: "Programs",
      value: `${count(sources.active + workflows.active)} of ${count(sources.total + workflows.total)}`,
      note: `active: ${counted(sources.total, "source")}, ${counted(workflows.total, "workflow")}`,
      tone: paused === 0 ? "plain" : "waiting",
      href: hrefOf(["sources"])
    },
    {
      name: "Errors",
      value: errors === undefined ? toCome : count(errors),
      note: "in this time",
      tone: errors === undefined || errors === 0 ? "plain" : "bad",
      href: hrefOf(["events"], { stream: "$errors", from: figures === undefined ? "" : String(figures.from_ms) })
    },
    {
      name: "Exhausted",
      value: exhausted === undefined ? toCome : count(exhausted),
      note: `${exhausted === 1 ? "delivery" : "deliveries"} in this time`,
      tone: exhausted === undefined || exhausted === 0 ? "plain" : "bad",
      href: hrefOf(["deliveries"], {
        state: "exhausted",
        last_attempt_since: figures === undefined ? "" : String(figures.from_ms)
      })
    },
    {
      name: "Quotas",
      value: fullest === undefined || fullest.limit === null ? "no limit" : `${percent(fullness)} used`,
      note: fullest === undefined || fullest.limit === null ? "none is set" : quotaNames[fullest.quota].toLowerCase(),
      tone: fullness >= 1 ? "bad" : fullness >= 0.8 ? "waiting" : "plain"
    },
    {
      name: "Accounting",
      value: imbalances === 0 ? "balances" : `${count(imbalances)} wrong`,
      note: imbalances === 0 ? "no event lost or duplicated" : "this is a bug in the server: please report it",
      tone: imbalances === 0 ? "plain" : "bad"
    }
  ]
}

const TileBody = ({ name, note, tone, value }: Tile) => (
  <>
    <span class="tile-name">{name}</span>
    <b class={`tile-value is-${tone}`}>{value}</b>
    <span class="tile-note" title={typeof note === "string" ? note : undefined}>{note}</span>
  </>
)

/** The state of the account, always in the same number of tiles, so that nothing moves. */
const Tiles = ({ tiles }: { readonly tiles: ReadonlyArray<Tile> }) => (
  <ul class="tiles" aria-label="Status of the account">
    {tiles.map((tile) => (
      <li key={tile.name} class={`tile is-${tile.tone}`}>
        {tile.href === undefined
          ? (
            <div class="tile-inside">
              <TileBody {...tile} />
            </div>
          )
          : (
            <a class="tile-inside" href={tile.href}>
              <TileBody {...tile} />
            </a>
          )}
      </li>
    ))}
  </ul>
)

/** A chart, defined by the values that it takes from each step. */
interface ChartKind {
  readonly title: string
  readonly lines: ReadonlyArray<{
    readonly name: string
    readonly colour: Colour
    readonly of: (step: Step) => number | null
  }>
  /** True if the values are durations, which have no sum. */
  readonly isDuration?: boolean
  /** True if each value is the amount at one time, which has no sum either. */
  readonly isLevel?: boolean
  readonly isLogarithmic?: boolean
  readonly empty?: string
}

const mean = (ms: number, times: number): number | null => times === 0 ? null : ms / times

const charts: ReadonlyArray<ChartKind> = [
  {
    title: "Requests and events",
    lines: [
      { name: "requests", colour: "first", of: ({ requests }) => requests },
      { name: "events", colour: "second", of: ({ events }) => events }
    ]
  },
  {
    title: "Code runs",
    lines: [
      { name: "runs", colour: "first", of: ({ runs }) => runs },
      { name: "failed", colour: "bad", of: ({ failed_runs }) => failed_runs }
    ]
  },
  {
    title: "Delivery attempts",
    lines: [
      { name: "attempts", colour: "first", of: ({ attempts }) => attempts },
      { name: "failed", colour: "bad", of: ({ failed_attempts }) => failed_attempts }
    ]
  },
  {
    title: "Duration of attempts and runs",
    isDuration: true,
    isLogarithmic: true,
    empty: "There were no attempts or runs in this period.",
    lines: [
      { name: "attempts p50", colour: "first", of: ({ p50_ms }) => p50_ms },
      { name: "p99", colour: "second", of: ({ p99_ms }) => p99_ms },
      { name: "runs, on average", colour: "wait", of: ({ run_ms, runs }) => mean(run_ms, runs) }
    ]
  },
  {
    title: "Backlog",
    isLevel: true,
    lines: [
      { name: "waiting", colour: "first", of: ({ waiting }) => waiting },
      { name: "pending", colour: "wait", of: ({ pending }) => pending }
    ]
  },
  {
    title: "Errors and failed deliveries",
    lines: [
      { name: "errors", colour: "bad", of: ({ errors }) => errors },
      { name: "exhausted", colour: "wait", of: ({ exhausted }) => exhausted },
      { name: "dropped", colour: "second", of: ({ dropped }) => dropped }
    ]
  }
]

const wholeOf = (kind: ChartKind, values: ReadonlyArray<number | null>): string => {
  const known = values.filter((value) => value !== null)
  if (kind.isLevel === true) return `up to ${count(Math.max(0, ...known))}`
  if (kind.isDuration !== true) return count(known.reduce((all, value) => all + value, 0))
  return known.length === 0 ? "none" : `up to ${duration(Math.max(...known))}`
}

const Charts = ({ figures }: { readonly figures: Figures }) => (
  <>
    {charts.map((kind) => {
      const series = kind.lines.map(({ colour, name, of }): ChartSeries => {
        const values = figures.series.map(of)
        return { name, colour, values, whole: wholeOf(kind, values) }
      })
      const isEmpty = series.every(({ values }) => values.every((value) => value === null))
      return (
        <StepChart
          key={kind.title}
          title={kind.title}
          series={series}
          fromMs={figures.from_ms}
          stepMs={figures.step_ms}
          untilMs={figures.to_ms}
          isLogarithmic={kind.isLogarithmic === true}
          format={kind.isDuration === true ? duration : count}
          {...(isEmpty && kind.empty !== undefined ? { empty: kind.empty } : {})}
        />
      )
    })}
  </>
)

/** Holds the place of the charts until they are there. */
const ChartsToCome = () => (
  <>
    {charts.map(({ title }) => (
      <figure key={title} class="step-chart is-to-come" aria-label={title} aria-busy="true">
        <div class="chart-head">
          <h3>{title}</h3>
        </div>
        <p class="waiting">Loading …</p>
      </figure>
    ))}
  </>
)

const NodeName = ({ id, name }: Trouble.GraphNode) => {
  const page = pageOf(id)
  const text = <bdi>{harmless(name ?? (Directory.kindOf(id) === "account" ? "The account itself" : id))}</bdi>
  return page === undefined ? text : <a href={page}>{text}</a>
}

/** The name of a node for which something waits, or its id; undefined while the nodes are not known. */
const nameIn = ({ loaded }: Loading<Trouble.Trouble>, id: string): string | undefined => {
  const known = "value" in loaded.value ? loaded.value.value : undefined
  const node = known?.nodes.find((one) => one.id === id)
  return node === undefined && known === undefined ? undefined : node?.name ?? id
}

const mostTroubles = 50

const Troubles = ({ trouble: { isCut, nodes } }: { readonly trouble: Trouble.Trouble }) =>
  nodes.length === 0
    ? (
      <Empty what="Nothing is failing or waiting.">
        {isCut ? <p>Of the first 1,000 sources, workflows, webhooks and consumers.</p> : null}
      </Empty>
    )
    : (
      <div class="scrolled" role="region" aria-label="Failing or waiting" tabIndex={0}>
        <table class="plain is-figures">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Waiting</th>
              <th scope="col">Retries</th>
              <th scope="col">Failed/min</th>
            </tr>
          </thead>
          <tbody>
            {nodes.slice(0, mostTroubles).map((node) => (
              <tr key={node.id}>
                <td>
                  <span class="clamped">
                    <NodeName {...node} />
                  </span>
                  <span class="note">{node.type}</span>
                </td>
                <td>
                  <NodeBadge {...node} />
                </td>
                <td>{count(node.waiting)}</td>
                <td>
                  {node.pending === 0 || node.type !== "webhook"
                    ? count(node.pending)
                    : (
                      <a href={hrefOf(["deliveries"], { webhook_id: node.id, state: "pending" })}>
                        {count(node.pending)}
                      </a>
                    )}
                </td>
                <td>{node.failed === 0 ? "0" : node.failed.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {nodes.length > mostTroubles
          ? <p class="note">And {count(nodes.length - mostTroubles)} more.</p>
          : null}
      </div>
    )

const readAt = <A extends NonNullable<unknown>>(loading: Loading<A>): number => {
  const loaded = loading.loaded.value
  return loaded.state === "shown" || loaded.state === "stale" ? loaded.atMs : 0
}

/** The state of the account: what needs somebody first, then its traffic and latencies, its failures and backlogs, and the server's processes. */
export default () => {
  const range = AccountFigures.rangeOf(address.value.query.get("range"))
  const figures = useLoading(range, (signal) => AccountFigures.read(range, signal), { everyMs: pollMs })
  const trouble = useLoading("trouble", Trouble.read, { everyMs: pollMs })
  const errors = useLoading(
    `errors ${range}`,
    (signal) => ErrorGroups.read(AccountFigures.fromOf(range), signal),
    { everyMs: pollMs }
  )
  const nodes = useLoading("nodes", Nodes.list, { everyMs: pollMs })
  const loaded = figures.loaded.value
  const known = loaded.state === "shown" || loaded.state === "stale" ? loaded.value : undefined
  Directory.useFreshNames()
  // While another range is read, the tiles keep the last known state.
  const lastNow = useRef<Now | undefined>(undefined)
  lastNow.current = loaded.state === "failed" ? undefined : known?.now ?? lastNow.current
  const retry = () => void figures.reload()
  const tiles = lastNow.current === undefined
    ? tilesWithout(loaded.state === "failed" ? "unknown" : toCome)
    : tilesOf(lastNow.current, known)
  return (
    <div class="page is-wide">
      <div class="page-head">
        <h1>Overview</h1>
        <span class="grow" />
        <Tabs
          label="Period of the charts"
          chosen={range}
          choices={AccountFigures.choices}
          onChoose={(chosen) => setQuery({ range: chosen === AccountFigures.defaultRange ? "" : chosen }, "push")}
        />
      </div>
      {loaded.state === "stale" ? <Stale atMs={loaded.atMs} failure={loaded.failure} onRetry={retry} /> : null}
      <div class="needs">
        <section class="block" aria-labelledby="trouble">
          <h2 id="trouble">Failing or waiting now</h2>
          <Shown loading={trouble} what="what fails or waits">{(found) => <Troubles trouble={found} />}</Shown>
        </section>
        <section class="block" aria-labelledby="errors">
          <h2 id="errors">Errors in {AccountFigures.wordsOf(range)}</h2>
          <Shown loading={errors} what="the errors">
            {(found) => <Errors errors={found} fromMs={AccountFigures.fromOf(range)} />}
          </Shown>
        </section>
      </div>
      <RetriesChart webhook={undefined} nameOf={(id) => nameIn(trouble, id)} />
      <Tiles tiles={tiles} />
      <div class="overview">
        <section class="overview-charts" aria-labelledby="over-time">
          <h2 id="over-time">What happened in {AccountFigures.wordsOf(range)}</h2>
          <div class={`charts ${loaded.state === "stale" ? "is-stale" : ""}`}>
            {loaded.state === "failed"
              ? <Failed what="The figures could not be loaded." failure={loaded.failure} onRetry={retry} />
              : known === undefined
              ? <ChartsToCome />
              : <Charts key={range} figures={known} />}
          </div>
        </section>
        <div class="overview-now">
          <section class="block" aria-labelledby="quotas">
            <h2 id="quotas">Quotas</h2>
            {lastNow.current === undefined
              ? <p class="note">{loaded.state === "failed" ? "unknown" : "…"}</p>
              : <Quotas quotas={lastNow.current.quotas} />}
          </section>
          <section class="block" aria-labelledby="server">
            <h2 id="server">The server</h2>
            <Shown loading={nodes} what="the nodes and workers">
              {(found) => <NodesTable nodes={found} readAtMs={readAt(nodes)} />}
            </Shown>
          </section>
        </div>
      </div>
    </div>
  )
}
