import type { Journey } from "@headwater/api/JourneyApi"
import * as Output from "./Output.ts"

type Node = Journey["nodes"][number]
type Edge = Journey["edges"][number]

const called = (name: string | null, id: string): string => name === null ? id : `${name} (${id})`

const streamOf = (name: string | null): string => name === null ? " (deleted)" : name === "" ? "" : ` on ${name}`

const deliveryLine = (node: Extract<Node, { type: "delivery" }>): string => {
  const { attempts, last_attempt, next_attempt_at_ms, state, waiting_for } = node
  const last = last_attempt === null || last_attempt.outcome === "delivered"
    ? last_attempt?.status ?? ""
    : last_attempt.error_message ?? "failed"
  return [
    node.webhook_id === null
      ? `a request of the workflow's own: ${state}`
      : `delivery to ${called(node.webhook_name, node.webhook_id)}: ${state}`,
    ...(attempts === 0 ? [] : [`attempt ${attempts}: ${last}`]),
    ...(waiting_for === undefined ? [] : [`waits for ${waiting_for}`]),
    ...(next_attempt_at_ms === null ? [] : [`next ${Output.timeOfMs(next_attempt_at_ms)} UTC`]),
    ...(node.delivery_id === null ? [] : [node.delivery_id])
  ].join(", ")
}

const lineOf = (node: Node): string => {
  switch (node.type) {
    case "event":
      return `event ${node.event_id} of ${called(node.emitter_name, node.emitter_id)}${streamOf(node.event_name)}`
    case "request":
      return `request to ${called(node.emitter_name, node.emitter_id)}, ${Output.timeOfMs(node.received_at_ms)} UTC`
    case "run":
      return [
        `run of ${called(node.listener_name, node.listener_id)}: ${node.state}`,
        ...(node.error === null ? [] : [`${node.error.name}: ${node.error.message}`]),
        ...(node.logs === 0 ? [] : [`${node.logs} console lines`]),
        ...(node.run_id === null ? [] : [node.run_id])
      ].join(", ")
    case "delivery":
      return deliveryLine(node)
    case "consumer":
      return `consumer ${node.consumer_id}: ${node.state}`
    case "listener":
      return called(node.listener_name, node.listener_id)
  }
}

const notReached = (edge: Edge, node: Node): string =>
  `not to ${lineOf(node)}: ${edge.reason ?? ""}${edge.clause === undefined ? "" : ` (${edge.clause})`}`

/** A journey in lines for a person: what the event came of first, each step below the one before it. */
export const linesOf = ({ edges, nodes, truncated }: Journey): ReadonlyArray<string> => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const from = Map.groupBy(edges, (edge) => edge.from)
  const isReached = new Set(edges.map((edge) => edge.to))
  const told = new Set<string>()
  const lines: Array<string> = []
  const tell = (node: Node, depth: number, line: string) => {
    lines.push(`${"  ".repeat(depth)}${node === nodes[0] ? "* " : "- "}${line}`)
    if (told.has(node.id)) return
    told.add(node.id)
    for (const edge of from.get(node.id) ?? []) {
      const next = byId.get(edge.to)
      if (next !== undefined) tell(next, depth + 1, edge.matched ? lineOf(next) : notReached(edge, next))
    }
  }
  for (const node of nodes) if (!isReached.has(node.id)) tell(node, 0, lineOf(node))
  return truncated ? [...lines, "There is more."] : lines
}
