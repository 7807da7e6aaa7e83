/**
 * Steps of the first generation: `async (event, steps) => { … }`, with `params`, `auths`, `this` for exports, and functions
 * whose names begin with `$`. Their text stays as it is, within a function that gives it these names.
 */
import { walk } from "@headwater/sandbox/SyntaxTree"
import { type AnyNode, type Expression, parse, parseExpressionAt, type Program } from "acorn"
import type { Schema } from "effect"
import type { Finding } from "./MovingReport.ts"

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

export interface Given {
  readonly code: string
  /** The values of its parameters. */
  readonly params: Fields
  /** Ids of accounts there, by the app. */
  readonly accounts: Fields
}

/** Something to know about a line of the code. */
export interface Told extends Pick<Finding, "kind" | "message"> {
  readonly line: number
}

export interface Rewritten {
  /** The module of the step; undefined if the code can't be read. */
  readonly text: string | undefined
  /** The values of its props. */
  readonly props: Fields
  readonly findings: ReadonlyArray<Told>
}

/** Lies beside the steps of a workflow. */
export const runtimeFile = "first-generation.js"

/** The text of a step as it was, beside its module. */
export const originalFile = "original.js.txt"

/** Begins the module of such a step. */
export const heading = `// A step of the first generation, which ${originalFile} has as it was.`

/** True if the import has written a file itself. */
export const isMade = (text: string): boolean => text.startsWith(heading) || text === runtime

/** Gives a step of the first generation what it had there. */
export const runtime = `// Runs a step of the first generation with what it had there.

class End extends Error {}

exports.step = ({ params, apps, hasCheckpoints, make }) => ({
  props: {
    ...Object.fromEntries(params.map((name) => [name, { type: "any", optional: true }])),
    ...Object.fromEntries(apps.map(({ prop, app }) => [prop, { type: "app", app }])),
    ...(hasCheckpoints ? { checkpoints: "$.service.db" } : {})
  },
  async run({ steps, $ }) {
    const db = hasCheckpoints ? this.checkpoints : { get() {}, set() {} }
    const own = \`step:\${$.context.step}\`
    const exported = {}
    // It is kept apart from the exports.
    let checkpoint = db.get(own)
    Object.defineProperty(exported, "$checkpoint", {
      get: () => checkpoint,
      set: (value) => (checkpoint = value),
      enumerable: false
    })
    const made = make.call(exported, {
      event: steps.trigger.event,
      steps,
      params: Object.fromEntries(params.flatMap((name) => this[name] === undefined ? [] : [[name, this[name]]])),
      auths: Object.fromEntries(apps.map(({ prop, app }) => [app, this[prop].$auth])),
      $checkpoint: db.get("workflow"),
      $end(reason) {
        $.flow.exit(reason)
        throw new End("the run ends")
      },
      $respond: (answer) => $.respond(answer),
      $send: $.send,
      $attachments: steps.trigger.context?.attachments ?? {}
    })
    let result
    try {
      result = await made.run()
    } catch (error) {
      if (!(error instanceof End)) throw error
    }
    for (const [name, value] of Object.entries(exported)) if (value !== undefined) $.export(name, value)
    const keep = (key, value) => {
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(db.get(key))) db.set(key, value)
    }
    keep(own, checkpoint)
    keep("workflow", made.checkpoint())
    return result
  }
})
`

/** Names that the function around the code has. */
const givenNames = ["event", "steps", "params", "auths", "$end", "$respond", "$send", "$attachments"]

const known = new Set([...givenNames, "$checkpoint", "require", "module", "exports", "arguments", "console"])

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, "") : String(error)

const lineAt = (code: string, at: number) => code.slice(0, at).split("\n").length

interface Parsed {
  readonly tree: AnyNode
  /** The names of the parameters, in their order; none if the code is the body alone. */
  readonly parameters: ReadonlyArray<string> | undefined
  /** True if it is a function, and not a body. */
  readonly isFunction: boolean
}

const functionIn = (code: string): Expression | undefined => {
  try {
    const node = parseExpressionAt(code, 0, { ecmaVersion: "latest", allowAwaitOutsideFunction: true })
    const rest = code.slice(node.end).replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, "")
    return /^[\s;]*$/.test(rest) ? node : undefined
  } catch {
    return undefined
  }
}

const bodyOf = (code: string): Program | unknown => {
  try {
    return parse(code, {
      ecmaVersion: "latest",
      sourceType: "script",
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true
    })
  } catch (error) {
    return error
  }
}

const read = (code: string): Parsed | { readonly line: number; readonly message: string } => {
  const node = functionIn(code)
  if (node !== undefined && (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression")) {
    const named = node.params.map((each) => each.type === "AssignmentPattern" ? each.left : each)
    const names = named.flatMap((each) => each.type === "Identifier" ? [each.name] : [])
    return names.length === named.length && names.every((name) => givenNames.includes(name))
      ? { tree: node, parameters: names, isFunction: true }
      : { line: lineAt(code, node.start), message: "it has parameters that a step of the first generation has not" }
  }
  const body = bodyOf(code)
  if (!(body instanceof Error)) return { tree: body as AnyNode, parameters: undefined, isFunction: false }
  const at = Reflect.get(body, "pos") as number | undefined
  return { line: at === undefined ? 1 : lineAt(code, at), message: `it can't be read: ${messageOf(body)}` }
}

/** All names that a pattern gives. */
const namesIn = (pattern: AnyNode): ReadonlyArray<string> => {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name]
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => namesIn(each.type === "Property" ? each.value : each.argument))
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => each === null ? [] : namesIn(each))
    case "AssignmentPattern":
      return namesIn(pattern.left)
    case "RestElement":
      return namesIn(pattern.argument)
    default:
      return []
  }
}

/** The names that are assigned to, and nowhere declared: there they came to be by that. */
const undeclared = (tree: AnyNode): ReadonlyArray<string> => {
  const declared = new Set<string>(known)
  const assigned = new Set<string>()
  walk(tree, (node) => {
    if (node.type === "VariableDeclarator") namesIn(node.id).forEach((name) => declared.add(name))
    if (
      node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ||
      node.type === "ArrowFunctionExpression"
    ) node.params.flatMap(namesIn).forEach((name) => declared.add(name))
    const hasName = node.type === "FunctionDeclaration" || node.type === "ClassDeclaration" ||
      node.type === "FunctionExpression" || node.type === "ClassExpression"
    if (hasName && node.id) declared.add(node.id.name)
    if (node.type === "CatchClause" && node.param) namesIn(node.param).forEach((name) => declared.add(name))
    if (node.type === "AssignmentExpression") namesIn(node.left).forEach((name) => assigned.add(name))
    if (node.type === "UpdateExpression") namesIn(node.argument).forEach((name) => assigned.add(name))
    if (node.type === "ForInStatement" || node.type === "ForOfStatement") {
      namesIn(node.left).forEach((name) => assigned.add(name))
    }
  })
  return [...assigned].filter((name) => !declared.has(name) && !(name in globalThis)).sort()
}

const rootOf = (node: AnyNode): AnyNode => {
  let root = node
  while (root.type === "MemberExpression") root = root.object
  return root
}

const isNamed = (node: AnyNode, name: string) => node.type === "Identifier" && node.name === name

/** Modules of the service that have another name here. */
const renamed: Readonly<Record<string, string>> = { "@pipedreamhq/platform": "@pipedream/platform" }

/** Reads what works otherwise here, and what can't be. */
const examine = (code: string, tree: AnyNode) => {
  const findings: Array<Told> = []
  const edits: Array<readonly [from: number, to: number, text: string]> = []
  const tell = (kind: Told["kind"], node: AnyNode, message: string) =>
    findings.push({ kind, line: lineAt(code, node.start), message })
  const changes = (node: AnyNode, changed: AnyNode) => {
    if (changed.type === "MemberExpression" && isNamed(rootOf(changed), "event")) {
      tell(
        "different",
        node,
        "changes the event, which later steps have here as it was: return the value, or export it"
      )
    }
  }
  walk(tree, (node) => {
    if (node.type === "AssignmentExpression") changes(node, node.left)
    if (node.type === "UnaryExpression" && node.operator === "delete") changes(node, node.argument)
    if (node.type === "Identifier" && /^\$(?!\d)\w/.test(node.name) && !known.has(node.name)) {
      tell("missing", node, `${node.name} is not known here`)
    }
    if (node.type === "WithStatement") tell("failed", node, "`with` does not work in a module: write the step anew")
    if (node.type !== "CallExpression" || !isNamed(node.callee, "require")) return
    const [argument] = node.arguments
    if (argument?.type !== "Literal" || typeof argument.value !== "string") {
      tell("failed", node, "the name of a package that is required has to be a text: write the step anew")
    } else if (Object.hasOwn(renamed, argument.value)) {
      edits.push([argument.start, argument.end, JSON.stringify(renamed[argument.value])])
    }
  })
  return { findings, edits }
}

/** The names of a step's props: an app has another one where a parameter has its. */
const propsOf = ({ accounts, params }: Pick<Given, "accounts" | "params">) => {
  const names = Object.keys(params).filter((name) => !name.startsWith("$"))
  const apps = Object.keys(accounts).filter((app) => typeof accounts[app] === "string")
    .map((app) => ({ app, prop: names.includes(app) ? `${app}_account` : app }))
  return { names, apps }
}

/** `{{event.x}}` is `{{steps.trigger.event.x}}` here. */
const withEvent = (text: string): string => {
  const places: Array<number> = []
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", at + 2)) {
    try {
      const top = parseExpressionAt(text, at + 2, { ecmaVersion: "latest" })
      const names = new Set<AnyNode>()
      walk(top, (node) => {
        if (node.type === "MemberExpression" && !node.computed) names.add(node.property)
        if (node.type === "Property" && !node.computed) names.add(node.key)
      })
      walk(top, (node) => {
        if (isNamed(node, "event") && !names.has(node)) places.push(node.start)
      })
    } catch {
      // It is no expression, and stays as it is.
    }
  }
  return [...new Set(places)].toSorted((one, other) => other - one)
    .reduce((made, at) => `${made.slice(0, at)}steps.trigger.${made.slice(at)}`, text)
}

const valueOf = (value: Json): Json => {
  if (typeof value === "string") return withEvent(value)
  if (Array.isArray(value)) return value.map((each: Json) => valueOf(each))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value as Fields).map(([name, each]) => [name, valueOf(each)]))
}

/** Makes a step of this server of it. */
export const rewritten = (given: Given): Rewritten => {
  const { accounts, code, params } = given
  const { apps, names } = propsOf(given)
  const props: Fields = {
    ...Object.fromEntries(names.map((name) => [name, valueOf(params[name]!)])),
    ...Object.fromEntries(apps.map(({ app, prop }) => [prop, { authProvisionId: accounts[app]! }]))
  }
  const parsed = read(code)
  if (!("tree" in parsed)) {
    return { text: undefined, props, findings: [{ kind: "failed", ...parsed }] }
  }
  const { edits, findings } = examine(code, parsed.tree)
  if (findings.some(({ kind }) => kind === "failed")) return { text: undefined, props, findings }
  const edited = edits.toSorted(([one], [other]) => other - one)
    .reduce((made, [from, to, text]) => `${made.slice(0, from)}${text}${made.slice(to)}`, code)
  const { isFunction, parameters, tree } = parsed
  const own = edited.replace(/[\s;]*$/, "")
  const free = undeclared(tree)
  const text = [
    heading,
    `const { step } = require("../${runtimeFile}")`,
    "",
    "module.exports = step({",
    `  params: ${JSON.stringify(names)},`,
    `  apps: ${JSON.stringify(apps)},`,
    `  hasCheckpoints: ${code.includes("$checkpoint")},`,
    `  make({ ${givenNames.join(", ")}, $checkpoint }) {`,
    ...(free.length === 0 ? [] : [`    let ${free.join(", ")}`]),
    "    const code =",
    ...(isFunction ? [own] : ["async () => {", own, "}"]),
    "",
    "    return {",
    `      run: () => code.call(this${(parameters ?? []).map((name) => `, ${name}`).join("")}),`,
    "      checkpoint: () => $checkpoint",
    "    }",
    "  }",
    "})",
    ""
  ].join("\n")
  return { text, props, findings }
}
