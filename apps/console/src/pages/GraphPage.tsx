import { useCallback, useMemo } from "preact/hooks"
import { address, hrefOf, type Query, setQuery } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { count } from "../charts/Figures.ts"
import { isNarrow } from "../charts/Narrow.ts"
import * as Graph from "../graph/Graph.ts"
import { type Grouping, shapeOf, type Stop, structureOf } from "../graph/GraphShape.ts"
import { Empty } from "../parts/Empty.tsx"
import { Filters } from "../parts/Filters.tsx"
import { GraphDrawing } from "../parts/GraphDrawing.tsx"
import { GraphLegend } from "../parts/GraphLegend.tsx"
import { GraphPanel, type PanelActs } from "../parts/GraphPanel.tsx"
import { NodeRows, SubscriptionRows } from "../parts/GraphRows.tsx"
import { Name } from "../parts/Name.tsx"
import { NodesBadge } from "../parts/NodeState.tsx"
import { SearchField } from "../parts/SearchField.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Tabs } from "../parts/Tabs.tsx"
import { Ago } from "../parts/Time.tsx"
import { now } from "../resources/Clock.ts"
import * as Directory from "../resources/Directory.ts"

const pollMs = 5_000

/** The age from which a reading looks old. The page reads nothing while nobody uses it. */
const oldMs = 4 * pollMs

const groupings: ReadonlyArray<readonly [Grouping, string]> = [
  ["none", "no groups"],
  ["same", "same subscriptions"],
  ["alike", "similar nodes"],
  ["kind", "same kind"]
]

const inOrder = new Intl.Collator(undefined, { numeric: true })

const hopChoices = [1, 2, 3, 4, 6]

const views = [["list", "List"], ["drawing", "Drawing"], ["table", "Table"]] as const

type View = typeof views[number][0]

/** A telephone has no room for a drawing that can be read. */
const firstView = (): View => isNarrow.value ? "list" : "drawing"

/** The state of the page, as the address holds it. */
interface Wanted {
  readonly text: string
  readonly state: string
  /** The id of a node, a glob, or the key of a group. */
  readonly chosen: string
  readonly focus: string
  readonly hops: number
  readonly grouping: Grouping | undefined
  /** Ids of nodes whose groups are drawn one by one. */
  readonly open: ReadonlyArray<string>
  /** The id of a subscription. */
  readonly expanded: string
  readonly view: View
}

const wantedOf = (query: URLSearchParams): Wanted => {
  const text = (name: string) => query.get(name) ?? ""
  const hops = Number(text("hops"))
  return {
    text: text("text"),
    state: text("state"),
    chosen: text("node"),
    focus: text("focus"),
    hops: hopChoices.includes(hops) ? hops : 1,
    grouping: groupings.find(([name]) => name === text("group"))?.[0],
    open: text("open").split(",").filter((id) => id !== ""),
    expanded: text("expand"),
    view: views.find(([view]) => view === text("view"))?.[0] ?? firstView()
  }
}

const change = (changes: Query) => setQuery(changes, "push")

const choose = (key: string) => setQuery({ node: key }, address.peek().query.has("node") ? "replace" : "push")

const close = () => setQuery({ node: "" })

const isWanted = (node: Graph.GraphNode, { state, text }: Wanted): boolean => {
  const wanted = text.trim().toLowerCase()
  return (state === "" || node.state === state) &&
    (wanted === "" || [Graph.labelOf(node), node.id].some((one) => one.toLowerCase().includes(wanted)))
}

const StateField = ({ chosen, nodes }: {
  readonly chosen: string
  readonly nodes: ReadonlyArray<Graph.GraphNode>
}) => (
  <label class="field">
    <span>State</span>
    <select value={chosen} onChange={(event) => change({ state: event.currentTarget.value })}>
      <option value="">all states</option>
      {Graph.states.map((state) => (
        <option key={state} value={state}>
          {Graph.wordOf(state)} ({count(nodes.filter((node) => node.state === state).length)})
        </option>
      ))}
    </select>
  </label>
)

/** The number of nodes in each state, the most urgent first. Each choice leaves those. */
const Summary = ({ chosen, nodes }: { readonly nodes: ReadonlyArray<Graph.GraphNode>; readonly chosen: string }) => (
  <div class="graph-summary" role="group" aria-label="Nodes by state">
    {Graph.states.map((state) => {
      const own = nodes.filter((node) =>
        node.state === state
      )
      return (
        <button
          key={state}
          type="button"
          aria-pressed={state === chosen}
          onClick={() => change({ state: state === chosen ? "" : state })}
        >
          {count(own.length)} <NodesBadge nodes={own} state={state} />
        </button>
      )
    })}
  </div>
)

const GroupField = ({ automatic, chosen }: {
  readonly chosen: Grouping | undefined
  /** The grouping that applies if none is chosen. */
  readonly automatic: Grouping
}) => {
  const words = new Map(groupings)
  return (
    <label class="field is-wider">
      <span>Group</span>
      <select value={chosen ?? ""} onChange={(event) => change({ group: event.currentTarget.value, open: "" })}>
        <option value="">{chosen === undefined ? `automatic: ${words.get(automatic)}` : "automatic"}</option>
        {groupings.map(([grouping, name]) => <option key={grouping} value={grouping}>{name}</option>)}
      </select>
    </label>
  )
}

const FocusBar = ({ focus, hops }: { readonly focus: string; readonly hops: number }) => (
  <div class="bar">
    <span>
      Around <Name id={focus} />
    </span>
    <label class="choice">
      <span>up to</span>
      <select value={String(hops)} onChange={(event) => change({ hops: event.currentTarget.value })}>
        {hopChoices.map((hop) => <option key={hop} value={String(hop)}>{hop === 1 ? "1 hop" : `${hop} hops`}</option>)}
      </select>
    </label>
    <button type="button" class="quiet" onClick={() => change({ focus: "", hops: "" })}>Show the whole graph</button>
  </div>
)

/** The part of the graph that is drawn, and those of its nodes and subscriptions that the reader looks for. */
const useSeen = (graph: Graph.WholeGraph, wanted: Wanted, heard: Graph.Expanded | undefined) => {
  const { focus, grouping, hops, open, view } = wanted
  const glob = graph.edges.find(({ subscription_id }) => subscription_id === heard?.subscription_id)?.emitter_id
  const emitters = heard?.emitters.map(({ emitter_id }) => emitter_id) ?? []
  // Each reading gives another object, even with the same content. The drawing moves only if the content has changed.
  const shape = useMemo(() =>
    shapeOf(graph, {
      focus: focus === "" ? undefined : focus,
      hops,
      grouping,
      open: new Set(open),
      heard: glob === undefined ? undefined : { glob, emitters }
    }), [structureOf(graph), focus, hops, grouping, open.join(), glob, emitters.join()])
  const live = useMemo(() => ({
    nodes: new Map(graph.nodes.map((node) => [node.id, node])),
    edges: new Map(graph.edges.map((edge) => [edge.subscription_id, edge]))
  }), [graph])
  const drawn = useMemo(() => new Set(shape.stops.flatMap(({ ids }) => ids)), [shape])
  const around = graph.nodes.filter(({ id }) => drawn.has(id))
  const matching = useMemo(
    () =>
      around.filter((node) => isWanted(node, wanted)).sort((a, b) =>
        (view === "list" ? Graph.states.indexOf(a.state) - Graph.states.indexOf(b.state) : 0) ||
        inOrder.compare(Graph.labelOf(a), Graph.labelOf(b)) || (a.id < b.id ? -1 : 1)
      ),
    [graph, drawn, wanted.text, wanted.state, view, Directory.names.value]
  )
  const isNarrowed = matching.length < around.length
  const found = useMemo(() => new Set(matching.map(({ id }) => id)), [matching])
  const edges = useMemo(
    () =>
      graph.edges.filter(({ emitter_id, listener_id }) =>
        drawn.has(emitter_id) && drawn.has(listener_id) &&
        (!isNarrowed || found.has(emitter_id) || found.has(listener_id))
      ),
    [graph, drawn, found, isNarrowed]
  )
  const isDim = useCallback(
    ({ ids }: Stop) => isNarrowed && !ids.some((id) => found.has(id)),
    [isNarrowed, found]
  )
  return { shape, live, drawn, around, matching, edges, isDim }
}

const Picture = ({ atMs, graph, isStale, wanted }: {
  readonly graph: Graph.WholeGraph
  readonly atMs: number
  readonly isStale: boolean
  readonly wanted: Wanted
}) => {
  const { chosen, expanded, focus, grouping, hops, open, view } = wanted
  const loading = useLoading(expanded, (signal) => Graph.expand(expanded, signal), { everyMs: pollMs })
  const loaded = loading.loaded.value
  const heard = loaded.state === "shown" || loaded.state === "stale" ? loaded.value : undefined
  const { around, drawn, edges, isDim, live, matching, shape } = useSeen(graph, wanted, heard)
  const stop = shape.stops.find(({ ids, key }) => key === chosen || ids.includes(chosen))
  const acts: PanelActs = {
    choose,
    focus: (key) => change({ focus: key, node: key }),
    open: (id) => change({ open: [...open, id].join(), node: "" }),
    expand: (subscription) => change({ expand: subscription === expanded ? "" : subscription })
  }
  const isOld = isStale || now.value - atMs > oldMs
  const nothing = (
    <Empty what="Nothing matches.">
      <button type="button" onClick={() => change({ text: "", state: "" })}>Show all</button>
    </Empty>
  )
  return (
    <>
      <Filters label="Graph" active={[wanted.text, wanted.state, focus].filter((value) => value !== "").length}>
        <SearchField
          label="Name or id"
          text={wanted.text}
          onChange={(text) => setQuery({ text })}
        />
        <StateField chosen={wanted.state} nodes={around} />
        <GroupField chosen={grouping} automatic={shape.grouping} />
        {open.length === 0
          ? null
          : <button type="button" class="quiet" onClick={() => change({ open: "" })}>Close the opened groups</button>}
      </Filters>
      {focus === "" ? null : <FocusBar focus={focus} hops={hops} />}
      {focus !== "" && !drawn.has(focus)
        ? (
          <p class="alert is-warning">
            The node named in the address is not in the graph, so the whole graph is shown.
          </p>
        )
        : null}
      {graph.isCut
        ? <p class="alert is-warning">The account has more nodes than are shown: these are the first 3,000.</p>
        : null}
      <div class="graph-head">
        <p class="note" role={isOld ? "status" : undefined}>
          Rates cover the last 5 minutes. {isOld ? <b>As of</b> : "Updated"} <Ago ms={atMs} />.
        </p>
        {view === "drawing" ? <GraphLegend /> : null}
      </div>
      {view === "list" ? <Summary nodes={around} chosen={wanted.state} /> : null}
      <div class={`graph-split${chosen === "" ? "" : " is-open"}${view === "list" ? " is-list" : ""}`}>
        {view === "list" ? null : view === "table"
          ? (
            <div class="graph-rows">
              <SubscriptionRows
                edges={edges}
                nodes={live.nodes}
                total={graph.edges.length}
                chosen={chosen}
                onChoose={choose}
                empty={nothing}
              />
            </div>
          )
          : (
            <GraphDrawing
              shape={shape}
              live={live}
              subject={`${focus} ${hops} ${grouping} ${open.join()}`}
              chosen={stop?.key}
              revealed={chosen === focus ? undefined : stop?.key}
              isDim={isDim}
              isOld={isOld}
              onChoose={choose}
            />
          )}
        <div class="graph-beside">
          <div class="graph-rows">
            <NodeRows
              nodes={matching}
              total={graph.nodes.length}
              chosen={chosen}
              isBeside={view !== "list"}
              onChoose={choose}
              empty={nothing}
            />
          </div>
          {chosen === "" ? null : (
            <GraphPanel
              key={chosen}
              chosen={chosen}
              stop={stop}
              nodes={live.nodes}
              edges={graph.edges}
              expanded={expanded}
              loading={loading}
              acts={acts}
              onClose={close}
            />
          )}
        </div>
      </div>
    </>
  )
}

/** The graph of the account: emitters, listeners, their subscriptions, and their state. */
export default () => {
  const graph = useLoading("graph", Graph.read, { everyMs: pollMs })
  const wanted = wantedOf(address.value.query)
  Directory.useFreshNames()
  const loaded = graph.loaded.value
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Graph</h1>
        <Tabs
          label="View"
          choices={views}
          chosen={wanted.view}
          onChoose={(view) => change({ view: view === firstView() ? "" : view })}
        />
      </div>
      <Shown loading={graph} what="the graph">
        {(found) =>
          found.nodes.length < 2 && found.edges.length === 0
            ? (
              <Empty what="The graph is empty.">
                <p>
                  <a href={hrefOf(["sources", "new"])}>Make a source</a>, and subscribe a webhook or a workflow to it.
                </p>
              </Empty>
            )
            : (
              <Picture
                graph={found}
                atMs={loaded.state === "shown" || loaded.state === "stale" ? loaded.atMs : Date.now()}
                isStale={loaded.state === "stale"}
                wanted={wanted}
              />
            )}
      </Shown>
    </div>
  )
}
