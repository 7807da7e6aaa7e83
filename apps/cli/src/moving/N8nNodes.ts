/** The step of each node of n8n: a file that gives its parameters to the runtime. */
import type { Schema } from "effect"
import { isFields, textIn } from "./Fields.ts"
import { keyOf, literal } from "./MovedModule.ts"
import * as N8nCode from "./N8nCode.ts"
import type { Node } from "./N8nGraph.ts"
import * as N8nPython from "./N8nPython.ts"
import * as N8nRuntime from "./N8nRuntime.ts"

type Json = Schema.Json

export interface Step {
  /** The text of the step's file; none if the run fails when it comes to it. */
  readonly text: string | undefined
  readonly language: "mjs" | "py"
  /** The reason for that. */
  readonly why?: string
  readonly props: Record<string, Json>
  readonly told: ReadonlyArray<{ readonly kind: "missing" | "different"; readonly message: string }>
}

/** Types of which the runtime knows how they are carried out. */
const carriedOut = new Set([
  "noOp",
  "filter",
  "if",
  "switch",
  "set",
  "httpRequest",
  "respondToWebhook",
  "wait",
  "merge"
])

const codeNames: Readonly<Record<string, string>> = {
  code: "jsCode",
  function: "functionCode",
  functionItem: "functionCode"
}

/** The number of outputs of a node. */
export const outputsOf = ({ outputs, parameters, type }: Node): number => {
  if (type === "if") return 2
  if (type !== "switch") return 1
  const rules = isFields(parameters["rules"]) ? parameters["rules"] : {}
  const list = [rules["values"], rules["rules"]].find((each) => Array.isArray(each)) as ReadonlyArray<Json> | undefined
  const options = isFields(parameters["options"]) ? parameters["options"] : {}
  const fallback = options["fallbackOutput"] === "extra" ? 1 : 0
  const first = parameters["value1"] === undefined ? 2 : 4
  return Math.max(outputs.length, (list?.length ?? 0) + fallback, first)
}

/** Ways of a node that are not brought. */
const lacks = ({ fields, parameters, type }: Node): string | undefined => {
  if (fields["onError"] === "continueErrorOutput") return "its output of errors"
  if (type === "wait" && !["timeInterval", "specificTime", undefined].includes(parameters["resume"] as string)) {
    return "that it waits for a request: see `$.flow.suspend`"
  }
  const mode = parameters["combinationMode"] ?? parameters["combineBy"]
  if (
    type === "merge" && (["combineBySql", "mergeByKey"].includes(parameters["mode"] as string) ||
      parameters["mode"] === "combine" && !["combineByPosition", "mergeByPosition", "combineAll", "multiplex"].includes(
          mode as string
        ))
  ) return "that it matches items by their fields"
  return undefined
}

const appOf = (type: string) => type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/\W+/g, "_")

/** The credential of a node, as a prop for an account. */
const credentialOf = ({ fields, parameters, type }: Node) => {
  const given = isFields(fields["credentials"]) ? Object.entries(fields["credentials"]) : []
  const wanted = parameters["genericAuthType"] ?? parameters["nodeCredentialType"]
  const found = given.find(([name]) => wanted === undefined || name === wanted)
  if (type !== "httpRequest" || found === undefined || parameters["authentication"] === "none") return undefined
  const [name, credential] = found
  const of = isFields(credential) ? textIn(credential, "name", "id") : undefined
  return { prop: name.replace(/\W+/g, "_") || "account", app: appOf(name), name: of ?? name }
}

const rest = (node: Node, answers: string | undefined, tell: N8nCode.Tell): ReadonlyArray<string> => {
  const { fields, inputs, parameters, version } = node
  const code = codeNames[node.type]
  const { [code ?? ""]: _, ...own } = parameters
  const outputs = outputsOf(node)
  const from = inputs.map((sources) => sources.map(({ node, output }): Json => output === 0 ? [node] : [node, output]))
  const goesOn = fields["continueOnFail"] === true || fields["onError"] === "continueRegularOutput"
  return [
    ...(version === 1 ? [] : [`version: ${version}`]),
    `from: ${literal(from)}`,
    ...(outputs === 1 ? [] : [`outputs: ${outputs}`]),
    ...(code !== undefined || Object.keys(own).length === 0 ? [] : [`parameters: ${N8nCode.sourceOf(own, tell)}`]),
    ...(goesOn ? ["goesOn: true"] : []),
    ...(fields["executeOnce"] === true ? ["executeOnce: true"] : []),
    ...(fields["alwaysOutputData"] === true ? ["alwaysOutputData: true"] : []),
    ...(answers === undefined ? [] : [`answers: ${literal(answers)}`])
  ]
}

const heading = "// Moved from n8n"

/**
 * The step of a node.
 *
 * @param answers the answer to a request with which it ends, if it does
 * @param sourceOf where a step finds the items of a node
 */
export const of = (
  node: Node,
  isLooped: boolean,
  answers: string | undefined,
  sourceOf: (name: string, output: number) => N8nPython.Source | undefined
): Step => {
  const { fields, isDisabled, name, parameters, type } = node
  const told: Array<Step["told"][number]> = []
  const tell = (message: string) => void told.push({ kind: "missing", message: `${name}: ${message}` })
  const fails = (why: string): Step => {
    tell(`${why}. A run fails when it comes to it, until you write it anew`)
    return { text: undefined, language: "mjs", why: `${name} did not come over: ${why}`, props: {}, told }
  }
  const code = codeNames[type]
  if (isDisabled) {
    told.push({ kind: "different", message: `${name} was switched off there: its items pass through` })
  } else if (isLooped) {
    return fails("it is part of a loop, which steps can't say: write the loop in one step of code")
  } else if (code === undefined && !carriedOut.has(type)) {
    return fails(`nodes of the type ${type} are not known: write a step, or take an action, in its place`)
  }
  const lacking = isDisabled ? undefined : lacks(node)
  if (lacking !== undefined) return fails(`what is not known of it is ${lacking}`)
  const isEach = type === "functionItem" || type === "code" && parameters["mode"] === "runOnceForEachItem"
  const own = isDisabled ? "noOp" : code === undefined ? type : isEach ? "codeEach" : "code"
  const members = [`type: ${literal(own)}`]
  let text = ""
  if (code !== undefined && !isDisabled) {
    if (String(parameters["language"]).startsWith("python")) {
      const code = textIn(parameters, "pythonCode") ?? ""
      const how = { answers: answers === "firstIncomingItem", isEach }
      const sources = node.inputs.flat().flatMap(({ node, output }) => sourceOf(node, output) ?? [])
      return { text: N8nPython.textOf(code, sources, how, tell), language: "py", props: {}, told }
    }
    text = typeof parameters[code] === "string" ? parameters[code] : ""
    const method = N8nCode.methodOf(text, tell)
    if (method === undefined) return fails("its code is not understood")
    if (/\brequire\s*\(/.test(text)) tell("`require` is not here: import the module")
    members.push(...rest(node, answers, tell), method)
  } else {
    members.push(...rest(isDisabled ? { ...node, type: own, parameters: {} } : node, answers, tell))
  }
  if (fields["retryOnFail"] === true) {
    told.push({
      kind: "different",
      message: `${name} was tried again when it failed: give the workflow \`retry_delays\``
    })
  }
  const credential = isDisabled ? undefined : credentialOf(node)
  const variables = N8nCode.variablesIn(JSON.stringify(parameters).replaceAll("\\\"", "\""))
  if (variables.length > 0) {
    // Only a run has them, not the module as it loads.
    members.push(
      `env: { ${variables.map((name) => `get ${name}() { return process.env.${name} }`).join(", ")} }`
    )
  }
  if (credential !== undefined) {
    members.push(`props: { ${keyOf(credential.prop)}: { type: "app", app: ${literal(credential.app)} } }`)
  }
  return {
    text: [
      heading,
      `import { node } from "../${N8nRuntime.runtimeFile}"`,
      "",
      `export default node(${literal(name)}, {`,
      members.map((member) => `  ${member}`).join(",\n"),
      "})",
      ""
    ].join("\n"),
    language: "mjs",
    props: credential === undefined ? {} : { [credential.prop]: { authProvisionId: credential.name } },
    told
  }
}
