import { type GraphNode, type NodeState, wordOf } from "../graph/Graph.ts"
import { Badge, type Tone } from "./Badge.tsx"

/** Failing, disabled and waiting nodes are all red; the word and the mark tell them apart. */
const tones: Readonly<Record<NodeState, Tone>> = {
  failing: "bad",
  disabled: "bad",
  waiting: "bad",
  paused: "plain",
  ok: "good"
}

/** A shape for each state, so that no colour is needed to tell them apart. */
const shapes: Readonly<Record<NodeState, string>> = {
  failing: "M6 0.5L11.7 11H0.3ZM5.3 4v3.6h1.4V4ZM5.3 8.5v1.4h1.4V8.5Z",
  disabled: "M0 0h12v12H0ZM3 5.2v1.6h6V5.2Z",
  waiting: "M6 0a6 6 0 1 0 0 12a6 6 0 1 0 0-12ZM5.3 2.4h1.4v3.2l2.3 1.4l-.7 1.2l-3-1.8Z",
  paused: "M2 1h3v10H2ZM7 1h3v10H7Z",
  ok: "M6 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6Z"
}

/** The mark of a node's state, in a drawing. */
export const NodeMark = ({ size, state, x, y }: {
  readonly state: NodeState
  readonly x: number
  readonly y: number
  readonly size: number
}) => (
  <path
    class="graph-mark"
    fill-rule="evenodd"
    transform={`translate(${x} ${y}) scale(${size / 12})`}
    d={shapes[state]}
  />
)

/** The badge of the state that some nodes are in. A consumer is read when its owner likes: what waits for it is no alarm. */
export const NodesBadge = ({ nodes, state, text = "" }: {
  readonly nodes: ReadonlyArray<Pick<GraphNode, "type">>
  readonly state: NodeState
  /** In front of the word. */
  readonly text?: string
}) => {
  const isQuiet = state === "waiting" ? nodes.every(({ type }) => type === "consumer") : nodes.length === 0
  return <Badge tone={isQuiet ? "plain" : tones[state]} text={text + wordOf(state)} />
}

/** The badge of a node's state. */
export const NodeBadge = (node: Pick<GraphNode, "state" | "type">) => <NodesBadge nodes={[node]} state={node.state} />
