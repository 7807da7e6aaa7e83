import type { Graph } from "@headwater/api/GraphApi"
import { get, type Single } from "../api/Api.ts"
import { count } from "../charts/Figures.ts"
import { nameOf } from "../resources/Directory.ts"
import { canEmit } from "./GraphShape.ts"

export type GraphNode = Graph["nodes"][number]
export type GraphEdge = Graph["edges"][number]
export type NodeState = GraphNode["state"]
export type Expanded = NonNullable<Graph["expanded"]>

/** The most pages that are read, of 1,000 nodes each. */
const maxPages = 3

/** The account's graph of emitters and listeners, as far as it was read. */
export interface WholeGraph {
  readonly nodes: ReadonlyArray<GraphNode>
  readonly edges: ReadonlyArray<GraphEdge>
  /** True if there are more nodes or subscriptions than were read. */
  readonly isCut: boolean
}

/** @throws Failure */
export const read = async (signal: AbortSignal): Promise<WholeGraph> => {
  const nodes: Array<GraphNode> = []
  const edges: Array<GraphEdge> = []
  let isCut = false
  let after: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const { data } = await get<Single<Graph>>(["graph"], { query: { after }, signal })
    nodes.push(...data.nodes)
    edges.push(...data.edges)
    isCut ||= data.is_cut
    after = data.has_more ? data.end_cursor : undefined
    if (after === undefined) break
  }
  return { nodes, edges, isCut: isCut || after !== undefined }
}

/**
 * One emitter or listener with its state, and the subscriptions by which it listens.
 *
 * @throws Failure
 */
export const one = async (
  id: string,
  signal: AbortSignal
): Promise<{ readonly node: GraphNode; readonly edges: ReadonlyArray<GraphEdge> }> => {
  const { data } = await get<Single<Graph>>(["graph"], { query: { node: id }, signal })
  return { node: data.nodes[0]!, edges: data.edges }
}

/**
 * The emitters that a subscription hears; none if the id is empty.
 *
 * @throws Failure
 */
export const expand = async (subscription: string, signal: AbortSignal): Promise<Expanded> => {
  if (subscription === "") return { subscription_id: "", emitters: [], is_cut: false }
  const { data } = await get<Single<Graph>>(["graph"], { query: { expand: subscription, limit: 1 }, signal })
  return data.expanded!
}

/** All states, the most urgent first. */
export const states: ReadonlyArray<NodeState> = ["failing", "disabled", "waiting", "paused", "ok"]

/** The console's word for a state, which lists of sources, workflows and webhooks have too. */
export const wordOf = (state: NodeState): string => state === "ok" ? "active" : state

/** The most urgent state among several nodes. */
export const worstOf = (nodes: ReadonlyArray<GraphNode>): NodeState =>
  states.find((state) => nodes.some((node) => node.state === state)) ?? "ok"

/** The name that people know a node by. */
export const labelOf = ({ id, name }: GraphNode): string => name ?? nameOf(id)

const sumOf = (nodes: ReadonlyArray<GraphNode>, of: (node: GraphNode) => number): number =>
  nodes.reduce((total, node) => total + of(node), 0)

const rates = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 })

const rate = (value: number): string => value < 100 ? rates.format(value) : count(value)

/** A rate per minute. */
export const perMinute = (value: number): string => `${rate(value)}/min`

/** The rates of some nodes together, in a few words. */
export const ratesOf = (nodes: ReadonlyArray<GraphNode>): string => {
  const done = sumOf(nodes, (node) => node.done)
  const emits = nodes.some(({ type }) => canEmit(type))
  const parts = [
    ...(emits ? [`${rate(sumOf(nodes, ({ emitted }) => emitted))} out`] : []),
    ...(done > 0 || !emits ? [`${rate(done)} done`] : [])
  ]
  return `${parts.join(", ")} a min`
}

/** The state of some nodes together, with the figures behind it, in a few words. */
export const standingOf = (nodes: ReadonlyArray<GraphNode>): string => {
  const [failed, waiting, pending] = [
    sumOf(nodes, (node) => node.failed),
    sumOf(nodes, (node) => node.waiting),
    sumOf(nodes, (node) => node.pending)
  ]
  const inState = states.flatMap((state) => {
    const some = nodes.filter((node) => node.state === state).length
    return some === 0 ? [] : nodes.length === 1 || some === nodes.length
      ? [wordOf(state)]
      : [`${count(some)} ${wordOf(state)}`]
  })
  if (nodes.length > 1) return inState.length === 1 ? `all ${inState.join()}` : inState.join(", ")
  const [state] = inState
  const figures = [
    ...(state === "failing" && failed > 0 ? [`failing ${perMinute(failed)}`] : []),
    ...(state === "failing" && failed > 0 || state === "waiting" && waiting > 0 ? [] : [state]),
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
    ...(pending > 0 ? [`${count(pending)} to retry`] : []),
    ...(state !== "failing" && failed > 0 ? [`${perMinute(failed)} failed`] : [])
  ]
  return figures.join(", ")
}
