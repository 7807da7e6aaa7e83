/** The nodes of an exported workflow of n8n, and what leads from which to which. */
import type { Schema } from "effect"
import { type Fields, isFields, textIn } from "./Fields.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** The output of a node that the items of an input come from. */
export interface Source {
  readonly node: string
  readonly output: number
}

export interface Node {
  readonly name: string
  /** Without the name of its package, if that is n8n's own. */
  readonly type: string
  readonly version: number
  readonly parameters: Fields
  readonly isDisabled: boolean
  readonly isTrigger: boolean
  readonly fields: Fields
  readonly path: WorkflowFile.Path
  /** By the input. */
  readonly inputs: Array<Array<Source>>
  /** By the output. */
  readonly outputs: Array<Array<string>>
}

export interface Graph {
  readonly nodes: ReadonlyMap<string, Node>
  /** Nodes that are reached, each after those before it. */
  readonly order: ReadonlyArray<Node>
  /** Names of those from which a way leads back to them. */
  readonly loops: ReadonlySet<string>
  readonly notes: ReadonlyArray<Node>
  /** True if no node but the first has more than one before it, and all begins with one trigger. */
  readonly isTree: boolean
  readonly faults: ReadonlyArray<{ readonly path: WorkflowFile.Path; readonly message: string }>
}

const mostNodes = 2_000
const mostOutputs = 100

export const numberIn = (value: Json | undefined): number | undefined => typeof value === "number" ? value : undefined

const isTriggerType = (type: string) =>
  /trigger$/i.test(type) || ["webhook", "cron", "interval", "start"].includes(type)

const listOf = (value: Json | undefined): ReadonlyArray<Json> => Array.isArray(value) ? value : []

const readNode = (value: Json, path: WorkflowFile.Path): Node | string => {
  if (!isFields(value)) return "is not a node"
  const name = textIn(value, "name")
  const type = textIn(value, "type")?.replace(/^n8n-nodes-base\./, "")
  if (name === undefined || type === undefined) return "a node has no name or no type"
  const parameters = value["parameters"]
  return {
    name,
    type,
    version: numberIn(value["typeVersion"]) ?? 1,
    parameters: isFields(parameters) ? parameters : {},
    isDisabled: value["disabled"] === true,
    isTrigger: isTriggerType(type),
    fields: value,
    path,
    inputs: [],
    outputs: []
  }
}

/** All that is reached from some nodes, these included only if a way leads back. */
const reachedFrom = (names: Iterable<string>, nodes: ReadonlyMap<string, Node>): ReadonlySet<string> => {
  const reached = new Set<string>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const target of nodes.get(name)?.outputs.flat() ?? []) {
      if (reached.has(target)) continue
      reached.add(target)
      waiting.push(target)
    }
  }
  return reached
}

const connect = (connections: Fields, nodes: ReadonlyMap<string, Node>, at: WorkflowFile.Path): Graph["faults"] => {
  const faults: Array<Graph["faults"][number]> = []
  for (const [name, kinds] of Object.entries(connections)) {
    const from = nodes.get(name)
    const path = [...at, name]
    if (from === undefined || !isFields(kinds)) {
      faults.push({ path, message: `connections lead from ${JSON.stringify(name)}, which is no node` })
      continue
    }
    for (const [output, list] of listOf(kinds["main"]).slice(0, mostOutputs).entries()) {
      for (const each of listOf(list)) {
        const target = isFields(each) ? nodes.get(textIn(each, "node") ?? "") : undefined
        const input = isFields(each) ? numberIn(each["index"]) ?? 0 : 0
        if (target === undefined || !Number.isInteger(input) || input < 0 || input >= mostOutputs) {
          faults.push({ path, message: `a connection of ${JSON.stringify(name)} leads to no node` })
          continue
        }
        while (from.outputs.length <= output) from.outputs.push([])
        while (target.inputs.length <= input) target.inputs.push([])
        from.outputs[output]!.push(target.name)
        target.inputs[input]!.push({ node: name, output })
      }
    }
  }
  return faults
}

const ordered = (reached: ReadonlyArray<Node>, isLooped: (name: string) => boolean): ReadonlyArray<Node> => {
  const order: Array<Node> = []
  const done = new Set<string>()
  const own = new Set(reached.map(({ name }) => name))
  const isReady = ({ inputs, name }: Node) =>
    inputs.flat().every(({ node }) => done.has(node) || !own.has(node) || isLooped(node) && isLooped(name))
  let waiting = reached
  while (waiting.length > 0) {
    const ready = waiting.filter(isReady)
    if (ready.length === 0) return [...order, ...waiting]
    for (const node of ready) done.add(node.name)
    order.push(...ready)
    waiting = waiting.filter(({ name }) => !done.has(name))
  }
  return order
}

/** Reads the graph; text says what is wrong with it. */
export const of = (fields: Fields, root: WorkflowFile.Path): Graph | string => {
  const list = listOf(fields["nodes"])
  if (list.length > mostNodes) return `has more than ${mostNodes} nodes`
  const nodes = new Map<string, Node>()
  const notes: Array<Node> = []
  for (const [index, value] of list.entries()) {
    const node = readNode(value, [...root, "nodes", index])
    if (typeof node === "string") return node
    if (node.type === "stickyNote") notes.push(node)
    else if (nodes.has(node.name)) return `has two nodes that are called ${JSON.stringify(node.name)}`
    else nodes.set(node.name, node)
  }
  const connections = fields["connections"]
  if (connections !== undefined && !isFields(connections)) return "connections: expected an object"
  const faults = connect(connections ?? {}, nodes, [...root, "connections"])
  const triggers = [...nodes.values()].filter(({ isTrigger }) => isTrigger)
  const names = reachedFrom(triggers.map(({ name }) => name), nodes)
  const reached = [...nodes.values()].filter(({ isTrigger, name }) => names.has(name) && !isTrigger)
  const loops = new Set(reached.map(({ name }) => name).filter((name) => reachedFrom([name], nodes).has(name)))
  return {
    nodes,
    order: ordered(reached, (name) => loops.has(name)),
    loops,
    notes,
    isTree: triggers.length === 1 && reached.every(({ inputs }) => inputs.flat().length <= 1),
    faults
  }
}
