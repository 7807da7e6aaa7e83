import { type ReadonlySignal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { count, counted } from "../charts/Figures.ts"
import { isNarrow } from "../charts/Narrow.ts"
import * as Graph from "../graph/Graph.ts"
import { nameOf } from "../resources/Directory.ts"
import { Stream } from "./EventCells.tsx"
import { harmless } from "./Harmless.ts"
import { NodeBadge } from "./NodeState.tsx"
import { VirtualRows } from "./VirtualRows.tsx"

/** A stable signal that holds the latest value. */
const useSignalOf = <A extends object>(value: A): ReadonlySignal<A> => {
  const held = useSignal(value)
  if (held.peek() !== value) held.value = value
  return held
}

const Footer = ({ noun, shown, total }: { readonly noun: string; readonly shown: number; readonly total: number }) => (
  <p class="end note">
    {shown === total ? counted(total, noun) : `${count(shown)} of ${counted(total, noun)}`}.
  </p>
)

/** The list of nodes, to find one of them. */
export const NodeRows = ({ chosen, empty, isBeside, nodes, onChoose, total }: {
  readonly nodes: ReadonlyArray<Graph.GraphNode>
  /** The number without the filters. */
  readonly total: number
  readonly chosen: string
  /** True if it stands beside the drawing or the table, where there is room for the names alone. */
  readonly isBeside: boolean
  readonly onChoose: (id: string) => void
  readonly empty: ComponentChildren
}) => {
  const rows = useSignalOf(nodes)
  const hasKind = !isBeside || isNarrow.value
  if (nodes.length === 0) return <>{empty}</>
  return (
    <VirtualRows
      label="Nodes"
      rows={rows}
      keyOf={({ id }) => id}
      columns={hasKind ? "minmax(0, 1fr) 4.75rem 4.75rem" : "minmax(0, 1fr) 4.75rem"}
      header={["Name", "State", ...(hasKind ? ["Kind"] : [])]}
      cells={(node) => [
        <bdi key="name">{harmless(Graph.labelOf(node))}</bdi>,
        <NodeBadge key="state" {...node} />,
        ...(hasKind
          ? [
            <span key="kind" class="note">
              {isNarrow.value ? `${node.type}, ${Graph.ratesOf([node])}` : node.type}
            </span>
          ]
          : [])
      ]}
      isOpen={({ id }) => id === chosen}
      onOpen={({ id }) => onChoose(id)}
      footer={<Footer noun="node" shown={nodes.length} total={total} />}
    />
  )
}

/** The content of the drawing as a table. */
export const SubscriptionRows = ({ chosen, edges, empty, nodes, onChoose, total }: {
  readonly edges: ReadonlyArray<Graph.GraphEdge>
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  /** The number without the filters. */
  readonly total: number
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly empty: ComponentChildren
}) => {
  const rows = useSignalOf(edges)
  if (edges.length === 0) return <>{empty}</>
  const named = (id: string) => {
    const node = nodes.get(id)
    return <bdi title={harmless(id)}>{harmless(node === undefined ? nameOf(id) : Graph.labelOf(node))}</bdi>
  }
  return (
    <VirtualRows
      label="Subscriptions"
      rows={rows}
      keyOf={({ subscription_id }) => subscription_id}
      columns="minmax(7rem, 1fr) minmax(7rem, 1fr) 8rem 5.5rem 6rem minmax(7rem, 1fr)"
      header={["Emitter", "Listener", "Stream", "State", "Waiting", "Rates of the listener"]}
      cells={({ emitter_id, event_name, is_filtered, is_glob, listener_id, waiting }) => {
        const listener = nodes.get(listener_id)
        return [
          is_glob ? <code key="emitter">{harmless(emitter_id)}</code> : named(emitter_id),
          <>
            {isNarrow.value ? "→ " : null}
            {named(listener_id)}
          </>,
          <>
            <Stream name={event_name} />
            {is_filtered ? <span class="note">, filtered</span> : null}
          </>,
          listener === undefined ? null : <NodeBadge {...listener} />,
          waiting === 0 ?
            <span class="note">–</span> :
            <span class={listener?.type === "consumer" ? "" : "fault"}>{count(waiting)}</span>,
          <span class="note">{listener === undefined ? "" : Graph.ratesOf([listener])}</span>
        ]
      }}
      isOpen={({ listener_id }) => listener_id === chosen}
      onOpen={({ listener_id }) => onChoose(listener_id)}
      footer={<Footer noun="subscription" shown={edges.length} total={total} />}
    />
  )
}
