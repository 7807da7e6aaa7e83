import type { Graph } from "@headwater/api/GraphApi"
import { get, type Single } from "../api/Api.ts"

export type GraphNode = Graph["nodes"][number]

/** The failing and waiting nodes of the account. */
export interface Trouble {
  /** The nodes: failing ones first, then those with the largest backlogs, and consumers behind all others. */
  readonly nodes: ReadonlyArray<GraphNode>
  /** True if there are more sources, workflows, webhooks and consumers than were read. */
  readonly isCut: boolean
}

const weightOf = ({ pending, state, type, waiting }: GraphNode): number =>
  (state === "failing" ? 1e12 : 0) - (type === "consumer" ? 1e12 : 0) + pending + waiting

const isTroubled = ({ pending, state, waiting }: GraphNode): boolean =>
  state === "failing" || state === "waiting" || pending > 0 || waiting > 0

export const read = async (signal: AbortSignal): Promise<Trouble> => {
  const { data: { has_more, nodes } } = await get<Single<Pick<Graph, "nodes" | "has_more">>>(["graph"], {
    query: { include: "nodes,has_more" },
    signal
  })
  return { nodes: nodes.filter(isTroubled).toSorted((a, b) => weightOf(b) - weightOf(a)), isCut: has_more }
}
