import type { Graph } from "@headwater/api/GraphApi"
import { get, type Single } from "../api/Api.ts"

export type GraphNode = Graph["nodes"][number]

/** The failing, disabled and waiting nodes of the account. */
export interface Trouble {
  /** The nodes: failing and disabled ones first, then those with the largest backlogs, and consumers behind all others. */
  readonly nodes: ReadonlyArray<GraphNode>
  /** True if there are more sources, workflows, webhooks and consumers than were read. */
  readonly isCut: boolean
}

const isFaulty = ({ state }: GraphNode): boolean => state === "failing" || state === "disabled"

const weightOf = (node: GraphNode): number => {
  const { pending, type, waiting } = node
  return (isFaulty(node) ? 1e12 : 0) - (type === "consumer" ? 1e12 : 0) + pending + waiting
}

const isTroubled = (node: GraphNode): boolean =>
  isFaulty(node) || node.state === "waiting" || node.pending > 0 || node.waiting > 0

export const read = async (signal: AbortSignal): Promise<Trouble> => {
  const { data: { has_more, nodes } } = await get<Single<Pick<Graph, "nodes" | "has_more">>>(["graph"], {
    query: { include: "nodes,has_more" },
    signal
  })
  return { nodes: nodes.filter(isTroubled).toSorted((a, b) => weightOf(b) - weightOf(a)), isCut: has_more }
}
