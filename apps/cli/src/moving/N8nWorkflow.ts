/** An exported workflow of n8n, as what a folder of a project says of a workflow. */
import type { Schema } from "effect"
import { type Fields, isFields, textIn } from "./Fields.ts"
import { keyOf, literal } from "./MovedModule.ts"
import type { Finding } from "./MovingReport.ts"
import * as N8nGraph from "./N8nGraph.ts"
import * as N8nNodes from "./N8nNodes.ts"
import type * as N8nPython from "./N8nPython.ts"
import * as N8nRuntime from "./N8nRuntime.ts"
import * as N8nTriggers from "./N8nTriggers.ts"
import type { ProjectFile, ProjectWorkflow } from "./ProjectFolder.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Names that steps can have, each another. */
const distinctly = (isTaken: (name: string) => boolean, change: (name: string) => string) => {
  const taken = new Set<string>()
  return (wanted: string): string => {
    const base = change(wanted)
    let name = base
    for (let count = 2; taken.has(name.toLowerCase()) || isTaken(name); count++) name = `${base} ${count}`
    taken.add(name.toLowerCase())
    return name
  }
}

const stepName = (name: string) => {
  const plain = name.replace(/[.\s]+/g, " ").trim().slice(0, 100)
  return /^\d+$|^$/.test(plain) ? `node ${plain}`.trim() : plain
}

/** The steps of a graph, with the files of them. */
class Layout {
  readonly steps: Array<WorkflowFile.Step> = []
  readonly places: Array<WorkflowFile.Path> = []
  readonly files: Array<ProjectFile> = []
  readonly names = new Map<string, string>()
  readonly #nameOf = distinctly((name) => name === "trigger" || name === "default", stepName)
  readonly #folderOf = distinctly(
    () => false,
    (name) => name.replace(/[^\w-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 60) || "step"
  )
  readonly #graph: N8nGraph.Graph
  readonly #answers: "nodes" | "last" | undefined
  readonly #told: (kind: Finding["kind"], path: WorkflowFile.Path, message: string) => void

  constructor(graph: N8nGraph.Graph, answers: "nodes" | "last" | undefined, told: Layout["tell"]) {
    this.#graph = graph
    this.#answers = answers
    this.#told = told
    for (const { name } of graph.order) this.names.set(name, this.#nameOf(name))
    if (graph.isTree) {
      const trigger = [...graph.nodes.values()].find(({ isTrigger }) => isTrigger)
      if (trigger !== undefined) this.#after(trigger)
    } else for (const node of graph.order) this.#add(node)
  }

  get tell(): (kind: Finding["kind"], path: WorkflowFile.Path, message: string) => void {
    return this.#told
  }

  #notesFor({ fields, path }: N8nGraph.Node): ReadonlyArray<string> {
    const own = [textIn(fields, "notes")]
    const at = fields["position"]
    const [x, y] = Array.isArray(at) ? at.map(Number) : []
    const isWithin = ({ fields: note, parameters }: N8nGraph.Node) => {
      const [left, top] = Array.isArray(note["position"]) ? note["position"].map(Number) : []
      return x !== undefined && y !== undefined && left !== undefined && top !== undefined && x >= left && y >= top &&
        x <= left + (N8nGraph.numberIn(parameters["width"]) ?? 240) &&
        y <= top + (N8nGraph.numberIn(parameters["height"]) ?? 160)
    }
    const isFirst = this.#graph.order[0]?.path === path
    // Without positions all of them stand before the first step.
    const hasAll = isFirst && !this.#graph.order.some((node) => Array.isArray(node.fields["position"]))
    const notes = this.#graph.notes.filter((note) => isWithin(note) || hasAll)
    return [...own, ...notes.map(({ parameters }) => textIn(parameters, "content"))].filter((text) =>
      text !== undefined
    )
  }

  readonly #sourceOf = (name: string, output: number): N8nPython.Source | undefined => {
    const node = this.#graph.nodes.get(name)
    const step = this.names.get(name)
    if (node?.isTrigger === true) {
      const triggers = [...this.#graph.nodes.values()].filter(({ isTrigger }) => isTrigger)
      return { trigger: N8nTriggers.kindOf(node), kinds: [...new Set(triggers.map(N8nTriggers.kindOf))] }
    }
    if (node === undefined || step === undefined) return undefined
    return { step, output: N8nNodes.outputsOf(node) === 1 || node.isDisabled ? undefined : output }
  }

  #add(node: N8nGraph.Node): number {
    const isLast = node.outputs.flat().length === 0
    const answers = this.#answers === "last" && isLast ? "firstIncomingItem" : undefined
    const isLooped = this.#graph.loops.has(node.name)
    const { language, props, text, told, why } = N8nNodes.of(node, isLooped, answers, this.#sourceOf)
    for (const { kind, message } of told) this.#told(kind, node.path, message)
    const folder = this.#folderOf(node.name)
    const path = `${folder}/entry.${language}`
    if (text !== undefined) this.files.push({ path, bytes: bytesOf(text) })
    const note = this.#notesFor(node)
    const index = this.steps.length
    this.places.push(node.path)
    this.steps.push({
      namespace: this.names.get(node.name)!,
      ...(text === undefined ? {} : { uses: `./${path}`, props }),
      ...(note.length === 0 ? {} : { note }),
      ...(why === undefined ? {} : { left: why })
    })
    return index
  }

  /** The steps behind a node of a tree, as places in the list of all. */
  #after(node: N8nGraph.Node): ReadonlyArray<number> {
    const made: Array<number> = []
    for (let at = node;;) {
      const targets = at.outputs.flatMap((names, output) =>
        names.map((name) => ({ output, target: this.#graph.nodes.get(name)! }))
      )
      const count = at.isTrigger ? 1 : N8nNodes.outputsOf(at)
      const [first, ...others] = targets
      if (first === undefined) return made
      if (others.length > 0 || count > 1) return [...made, this.#block(at, count, targets)]
      made.push(this.#add(first.target))
      at = first.target
    }
  }

  #block(
    node: N8nGraph.Node,
    count: number,
    targets: ReadonlyArray<{ readonly output: number; readonly target: N8nGraph.Node }>
  ): number {
    const index = this.steps.length
    const namespace = this.#nameOf(`after ${node.name}`)
    const branchName = distinctly((name) => name === "default", stepName)
    this.places.push(node.path)
    this.steps.push({ namespace })
    const step = this.names.get(node.name)
    const isTwo = node.type === "if"
    const branches = targets.map(({ output, target }): WorkflowFile.Branch => ({
      name: branchName(isTwo ? String(output === 0) : count > 1 ? `output ${output}` : target.name),
      when: count === 1 ? undefined : `{{ steps[${JSON.stringify(step)}].$return_value[${output}].length > 0 }}`,
      steps: [this.#add(target), ...this.#after(target)]
    }))
    this.steps[index] = { namespace, block: { kind: "branches", matchesEvery: true, isUnclear: false, branches } }
    return index
  }
}

/** A map of the nodes, by which the runtime finds what they have given. */
const nodesFile = (graph: N8nGraph.Graph, { names }: Layout): string => {
  const entries = [...graph.nodes.values()].flatMap((node) => {
    const step = names.get(node.name)
    const outputs = N8nNodes.outputsOf(node)
    const value: Record<string, Json> | undefined = node.isTrigger
      ? { trigger: N8nTriggers.kindOf(node) }
      : step === undefined
      ? undefined
      : { step, ...(outputs === 1 || node.isDisabled ? {} : { outputs }) }
    if (value === undefined) return []
    const members = Object.entries(value).map(([key, each]) => `${keyOf(key)}: ${literal(each)}`)
    return [`  [${literal(node.name)}, { ${members.join(", ")} }]`]
  })
  return `// The nodes by their names in n8n, with the steps that they are here\nexport default new Map([\n${
    entries.join(",\n")
  }\n])\n`
}

const tellOfRest = (graph: N8nGraph.Graph, layout: Layout): void => {
  const { tell } = layout
  for (const { message, path } of graph.faults) tell("failed", path, message)
  for (const { isDisabled, isTrigger, name, path, type } of graph.nodes.values()) {
    if (!isTrigger && !layout.names.has(name)) {
      tell("different", path, `${name} is left out: no trigger leads to it`)
    } else if (isTrigger && type === "manualTrigger") {
      tell("different", path, `${name}: run the workflow with \`headwater run\``)
    } else if (
      isTrigger && type !== "webhook" && !["scheduleTrigger", "cron", "interval"].includes(type) && !isDisabled
    ) {
      tell(
        "missing",
        path,
        `${name}: triggers of the type ${type} are not known: deploy a source, and subscribe the workflow to it`
      )
    }
  }
}

/** The event that somebody has pinned to a trigger. */
const pinnedTo = (starts: ReadonlyArray<N8nGraph.Node>, pinned: Json | undefined): Json | undefined => {
  for (const node of isFields(pinned) ? starts : []) {
    const items = isFields(pinned) && Object.hasOwn(pinned, node.name) ? pinned[node.name] : undefined
    const values = Array.isArray(items) ? items.map((item) => isFields(item) ? item["json"] ?? item : item) : []
    const [first] = values
    if (first !== undefined) return values.length === 1 || N8nTriggers.kindOf(node) === "http" ? first : values
  }
  return undefined
}

/**
 * Reads a workflow; text says what is wrong with it.
 *
 * @param root its place in the file
 * @param base the name that it has without one of its own
 */
export const of = (
  fields: Fields,
  file: WorkflowFile.Read<Json>,
  root: WorkflowFile.Path,
  path: string,
  base: string
): ProjectWorkflow | string => {
  if (!Array.isArray(fields["nodes"])) return "is no workflow of n8n: it has no list of nodes"
  const graph = N8nGraph.of(fields, root)
  if (typeof graph === "string") return graph
  const findings: Array<Finding> = []
  const settings = isFields(fields["settings"]) ? fields["settings"] : {}
  const timezone = textIn(settings, "timezone")
  const starts = [...graph.nodes.values()].filter(({ isTrigger }) => isTrigger)
  const triggers = N8nTriggers.of(starts, timezone === "DEFAULT" ? "UTC" : timezone ?? "UTC")
  const sample = pinnedTo(starts, fields["pinData"])
  const answers = starts.map(N8nTriggers.answersBy).find((each) => each !== undefined)
  const layout = new Layout(graph, answers, (kind, at, message) => {
    findings.push({ kind, file: path, line: file.lineOf(at), message })
  })
  tellOfRest(graph, layout)
  const name = textIn(fields, "name") ?? base
  const id = textIn(fields, "id")
  const folder = root.length === 0 ? path.replace(/\.json$/i, "") : `${path.replace(/\.json$/i, "")}/${root.join("/")}`
  const seconds = N8nGraph.numberIn(settings["executionTimeout"])
  return {
    id: id === undefined ? folder : `n8n:${id}`,
    folder,
    slug: name.replace(/\W+/g, "-").replace(/^-+|-+$/g, "") || "workflow",
    archivedIn: path,
    ...(sample === undefined ? {} : { sample }),
    triggers: new Map(triggers.map(({ id, settings }) => [id, settings])),
    file: {
      value: {
        name,
        inactive: fields["active"] !== true,
        settings: seconds === undefined || seconds <= 0 ? {} : { lambda_timeout: seconds },
        triggers: triggers.map(({ id }) => ({ id })),
        steps: layout.steps
      },
      lineOf: ([first, index, ...rest]) =>
        file.lineOf([
          ...(first === "steps"
            ? layout.places[Number(index)] ?? root
            : first === "triggers"
            ? triggers[Number(index)]?.node.path ?? root
            : root),
          ...rest
        ]),
      unknown: []
    },
    files: [
      ...layout.files,
      { path: N8nRuntime.runtimeFile, bytes: bytesOf(N8nRuntime.runtime) },
      { path: "nodes.mjs", bytes: bytesOf(nodesFile(graph, layout)) }
    ],
    findings
  }
}
