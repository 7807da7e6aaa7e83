import { matches } from "@headwater/domain/EmitterPattern"
import type { ComponentChildren } from "preact"
import { hrefOf } from "../api/Address.ts"
import type { Loading } from "../api/Loading.ts"
import { count, counted } from "../charts/Figures.ts"
import * as Graph from "../graph/Graph.ts"
import { canEmit, type Stop } from "../graph/GraphShape.ts"
import { nameOf } from "../resources/Directory.ts"
import { pageOf } from "../resources/ThingPage.ts"
import { harmless } from "./Harmless.ts"
import { Close } from "./Icons.tsx"
import { NodeBadge, NodesBadge } from "./NodeState.tsx"
import { Shown } from "./Shown.tsx"
import { useEscape } from "./useEscape.ts"

/** The most items of a list in the panel. */
const maxListed = 50

/** The reader's actions in the panel, all of which change the address. */
export interface PanelActs {
  readonly choose: (key: string) => void
  readonly focus: (key: string) => void
  /** Draws the nodes of a group one by one. */
  readonly open: (id: string) => void
  /** Shows the emitters that a subscription hears, or hides them again. */
  readonly expand: (subscription: string) => void
}

/** A node or a glob by its name, which leads to its panel. */
const Chooser = ({ acts, id, node }: {
  readonly id: string
  readonly node: Graph.GraphNode | undefined
  readonly acts: PanelActs
}) => (
  <button type="button" class="bare" title={harmless(id)} onClick={() => acts.choose(id)}>
    <bdi>{harmless(node === undefined ? nameOf(id) : Graph.labelOf(node))}</bdi>
  </button>
)

const Listed = <Item extends object>({ children, items, title }: {
  readonly title: string
  readonly items: ReadonlyArray<Item>
  readonly children: (item: Item) => ComponentChildren
}) =>
  items.length === 0 ? null : (
    <section class="block">
      <h3>{title}</h3>
      <ul class="graph-list">{items.slice(0, maxListed).map(children)}</ul>
      {items.length > maxListed
        ? <p class="note">And {count(items.length - maxListed)} more: the table has all of them.</p>
        : null}
    </section>
  )

/** Some subscriptions, each by the node or glob at its other end. */
const Subscriptions = ({ acts, edges, end, nodes, title }: {
  readonly title: string
  readonly edges: ReadonlyArray<Graph.GraphEdge>
  readonly end: "emitter_id" | "listener_id"
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly acts: PanelActs
}) => (
  <Listed title={title} items={edges}>
    {(edge) => {
      const node = nodes.get(edge[end])
      return (
        <li key={edge.subscription_id}>
          <Chooser id={edge[end]} node={node} acts={acts} />
          {node === undefined || node.state === "ok" ? null : <NodeBadge {...node} />}
          <span class="note">
            {[
              ...(edge.event_name === "" ? [] : [harmless(edge.event_name)]),
              ...(edge.is_filtered ? ["filtered"] : []),
              ...(edge.waiting > 0 ? [`${count(edge.waiting)} waiting`] : [])
            ].join(", ")}
          </span>
        </li>
      )
    }}
  </Listed>
)

const Links = ({ node }: { readonly node: Graph.GraphNode }) => {
  const page = pageOf(node.id)
  const emits = canEmit(node.type)
  return (
    <>
      {page === undefined ? null : <a class="button" href={page}>Open its page</a>}
      {emits ? <a href={hrefOf(["events"], { emitter: node.id })}>Its events</a> : null}
      {emits && node.state === "failing"
        ? <a href={hrefOf(["events"], { emitter: node.id, stream: "$errors" })}>Its errors</a>
        : null}
      {node.type === "webhook"
        ? <a href={hrefOf(["deliveries"], { webhook_id: node.id })}>Its deliveries</a>
        : null}
    </>
  )
}

const Facts = ({ nodes }: { readonly nodes: ReadonlyArray<Graph.GraphNode> }) => {
  const sum = (of: (node: Graph.GraphNode) => number) => nodes.reduce((total, node) => total + of(node), 0)
  return (
    <dl class="facts">
      <dt>Emitted</dt>
      <dd>{Graph.perMinute(sum(({ emitted }) => emitted))}</dd>
      <dt>Runs or attempts</dt>
      <dd>{Graph.perMinute(sum(({ done }) => done))}</dd>
      <dt>Failed</dt>
      <dd class={sum(({ failed }) => failed) > 0 ? "fault" : ""}>{Graph.perMinute(sum(({ failed }) => failed))}</dd>
      <dt>Waiting</dt>
      <dd>{count(sum(({ waiting }) => waiting))}</dd>
      <dt>To retry</dt>
      <dd>{count(sum(({ pending }) => pending))}</dd>
    </dl>
  )
}

const NodePanel = ({ acts, edges, node, nodes, together }: {
  readonly node: Graph.GraphNode
  /** The number of nodes that are drawn as one with it, itself included. */
  readonly together: number
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly edges: ReadonlyArray<Graph.GraphEdge>
  readonly acts: PanelActs
}) => (
  <>
    <div class="bar">
      <span class="note">{node.type}</span>
      <NodeBadge {...node} />
      <Links node={node} />
    </div>
    <code class="note">{node.id}</code>
    <div class="bar">
      <button type="button" onClick={() => acts.focus(node.id)}>Show its neighbours</button>
      {together > 1
        ? (
          <button type="button" class="quiet" onClick={() => acts.open(node.id)}>
            Draw the {count(together)} similar nodes separately
          </button>
        )
        : null}
    </div>
    <Facts nodes={[node]} />
    <Subscriptions
      title="Listens to"
      end="emitter_id"
      edges={edges.filter((edge) => edge.listener_id === node.id)}
      nodes={nodes}
      acts={acts}
    />
    <Subscriptions
      title="Heard by"
      end="listener_id"
      edges={edges.filter((edge) =>
        edge.emitter_id === node.id ||
        (edge.is_glob && edge.listener_id !== node.id && canEmit(node.type) && matches(edge.emitter_id, node.id))
      )}
      nodes={nodes}
      acts={acts}
    />
  </>
)

const figuresOf = ({ pending, waiting }: Graph.GraphNode): string =>
  [
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
    ...(pending > 0 ? [`${count(pending)} to retry`] : [])
  ].join(", ")

const rank = (node: Graph.GraphNode): number => Graph.states.indexOf(node.state)

const GroupPanel = ({ acts, nodes, stop }: {
  readonly stop: Stop
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly acts: PanelActs
}) => {
  const members = stop.ids.flatMap((id) => nodes.get(id) ?? []).sort((a, b) => rank(a) - rank(b))
  return (
    <>
      <div class="bar">
        {Graph.states.map((state) => {
          const some = members.filter((node) => node.state === state)
          return some.length === 0
            ? null
            : <NodesBadge key={state} nodes={some} state={state} text={`${count(some.length)} `} />
        })}
      </div>
      <p class="note">They are grouped because they are of the same kind and have similar subscriptions.</p>
      <div class="bar">
        <button type="button" onClick={() => acts.open(stop.ids[0]!)}>Show them separately</button>
      </div>
      <Facts nodes={members} />
      <Listed title="Failing and waiting ones first" items={members}>
        {(node) => (
          <li key={node.id}>
            <Chooser id={node.id} node={node} acts={acts} />
            <NodeBadge {...node} />
            <span class="note">{figuresOf(node)}</span>
          </li>
        )}
      </Listed>
    </>
  )
}

const GlobPanel = ({ acts, edges, expanded, glob, loading, nodes }: {
  readonly glob: string
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly edges: ReadonlyArray<Graph.GraphEdge>
  /** The id of the subscription whose emitters the reader asked for. */
  readonly expanded: string
  readonly loading: Loading<Graph.Expanded>
  readonly acts: PanelActs
}) => {
  const own = edges.filter(({ emitter_id }) => emitter_id === glob)
  return (
    <>
      <p>It matches the ids of emitters, including those made later.</p>
      <div class="bar">
        <button type="button" onClick={() => acts.focus(glob)}>Show its neighbours</button>
      </div>
      <Listed title="Its subscriptions" items={own}>
        {(edge) => (
          <li key={edge.subscription_id}>
            <Chooser id={edge.listener_id} node={nodes.get(edge.listener_id)} acts={acts} />
            <button
              type="button"
              class="quiet"
              aria-pressed={edge.subscription_id === expanded}
              onClick={() => acts.expand(edge.subscription_id)}
            >
              Matching emitters
            </button>
            <span class="note">{edge.waiting > 0 ? `${count(edge.waiting)} waiting` : ""}</span>
          </li>
        )}
      </Listed>
      {own.some(({ subscription_id }) => subscription_id === expanded)
        ? (
          <Shown loading={loading} what="the matching emitters">
            {({ emitters, is_cut }) => (
              <section class="block">
                <h3>
                  {counted(emitters.length, "emitter")}
                  {is_cut ? " and more" : ""}
                </h3>
                <div class="graph-heard" tabIndex={0} role="group" aria-label="Matching emitters">
                  <table class="plain">
                    <thead>
                      <tr>
                        <th scope="col">Emitter</th>
                        <th scope="col">Waiting</th>
                        <th scope="col">Delivered</th>
                        <th scope="col">To retry</th>
                        <th scope="col">Exhausted</th>
                      </tr>
                    </thead>
                    <tbody>
                      {emitters.slice(0, maxListed).map((heard) => (
                        <tr key={heard.emitter_id}>
                          <td>
                            <Chooser id={heard.emitter_id} node={nodes.get(heard.emitter_id)} acts={acts} />
                          </td>
                          <td>{count(heard.waiting)}</td>
                          <td>{count(heard.delivered)}</td>
                          <td>{count(heard.pending)}</td>
                          <td>{count(heard.exhausted)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
                {emitters.length > maxListed
                  ? <p class="note">And {count(emitters.length - maxListed)} more.</p>
                  : null}
              </section>
            )}
          </Shown>
        )
        : null}
    </>
  )
}

/** The details of the chosen node, glob or group. */
export const GraphPanel = ({ acts, chosen, edges, expanded, loading, nodes, onClose, stop }: {
  /** The id of a node, a glob, or the key of a group. */
  readonly chosen: string
  /** The stop that it is drawn as. */
  readonly stop: Stop | undefined
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly edges: ReadonlyArray<Graph.GraphEdge>
  readonly expanded: string
  readonly loading: Loading<Graph.Expanded>
  readonly acts: PanelActs
  readonly onClose: () => void
}) => {
  useEscape(onClose)
  const node = nodes.get(chosen)
  const isGroup = stop !== undefined && stop.key === chosen && stop.ids.length > 1
  const isGlob = edges.some((edge) => edge.is_glob && edge.emitter_id === chosen)
  const title = node === undefined
    ? isGroup ? `${counted(stop.ids.length, stop.kind)} that are alike` : chosen
    : Graph.labelOf(node)
  return (
    <aside class="panel" aria-label="Details">
      <div class="panel-head">
        <h2>
          <bdi>{harmless(title)}</bdi>
        </h2>
        <button type="button" class="bare" aria-label="Close the details" onClick={onClose}>
          <Close />
        </button>
      </div>
      {node !== undefined
        ? <NodePanel node={node} nodes={nodes} edges={edges} together={stop?.ids.length ?? 1} acts={acts} />
        : isGroup
        ? <GroupPanel stop={stop} nodes={nodes} acts={acts} />
        : isGlob
        ? <GlobPanel glob={chosen} nodes={nodes} edges={edges} expanded={expanded} loading={loading} acts={acts} />
        : <p>It is not in the graph. It may have been deleted.</p>}
    </aside>
  )
}
