/** The code of steps, read for its surroundings as far as its text shows them. */
import * as FirstGeneration from "./FirstGeneration.ts"

/** A place in a file. */
export interface Place {
  readonly file: string
  readonly line: number
}

export interface CodeReading {
  /** Environment variables, with the first place of each. */
  readonly variables: ReadonlyMap<string, Place>
  /** Members of the event of the trigger that are read. */
  readonly eventMembers: ReadonlySet<string>
  /** Members of the body in it. */
  readonly bodyMembers: ReadonlySet<string>
  /** True if nothing in the code asks for its event, or for anything outside. */
  readonly isAlone: boolean
  readonly responds: boolean
  /** Things that work otherwise here. */
  readonly differences: ReadonlyArray<Place & { readonly message: string; readonly kind: "different" | "missing" }>
}

const variablePatterns = [
  /\bprocess\.env\.([A-Za-z_]\w*)/g,
  /\bprocess\.env\[\s*["'`]([A-Za-z_]\w*)["'`]\s*\]/g,
  /\bos\.environ\[\s*["']([A-Za-z_]\w*)["']\s*\]/g,
  /\bos\.(?:environ\.get|getenv)\(\s*["']([A-Za-z_]\w*)["']/g
]

/** Those that the server sets itself. */
const ownVariables = new Set(["STASH_DIR", "NODE_ENV", "HOME", "PATH", "TZ"])

const eventPatterns = [
  /\bsteps\??\.trigger\??\.event\??\.([A-Za-z_$][\w$]*)/g,
  /\bsteps\??\.trigger\??\.event\??\.?\[\s*["'`]([^"'`]+)["'`]\s*\]/g,
  /\["trigger"\]\["event"\]\["([^"]+)"\]/g,
  /\['trigger'\]\['event'\]\['([^']+)'\]/g
]

/** The same in a step of the first generation. */
const eventOfFirst = /(?<![\w$.])event\??\.([A-Za-z_$][\w$]*)/g

/** `const { a, b } = steps.trigger.event`, or of `process.env`. */
const destructured = /\{([^{}]*)\}\s*=\s*(?:await\s+)?(steps\.trigger\.event|process\.env)(?![\w$.[?])/g

const bodyPattern = /(?<![\w$])event\??\.body\??\.([A-Za-z_$][\w$]*)/g

/** Code that may depend on its event, on packages, or on what others answer, or that throws. */
const outward =
  /\btrigger\b|\bevent\b|\bfetch\b|\brequire\s*\(|\bimport\s*\(|\bfrom\s*["'`](?!\.|node:)|\bimport\s+["'`](?!\.)|\$\.?send\b|\bhttps?\b|\bthrow\b|\braise\b|^\s*from\s+\w|^\s*import\s+[\w.]+(?:\s+as\s+\w+)?\s*$/m

const differing: ReadonlyArray<readonly [RegExp, "different" | "missing", string]> = [
  [
    /\$\.?send\.s3\b/g,
    "missing",
    "$.send.s3 takes keys of your own: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION with `headwater env set`"
  ],
  [
    /@pipedream\/browsers/g,
    "missing",
    "browsers are not here, and the server refuses the import: have a browser run elsewhere"
  ],
  [
    /\bsteps\.trigger\.context\.attachments\b|\$attachments\b/g,
    "missing",
    "files that were attached to the workflow are not in the folder: write them with `headwater files put`, and give the " +
    "workflow `attachments`"
  ],
  [
    /\bx-pd-nostore\b/g,
    "different",
    "x-pd-nostore erases a run when it has ended, but for the events that it emits; until then it is kept"
  ],
  [/\$checkpoint\b/g, "missing", "$checkpoint is of the first generation of steps: use a prop of the type $.service.db"]
]

const lineAt = (text: string, index: number) => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1
  return line
}

/** Reads texts by the names of their files. */
export const read = (texts: ReadonlyMap<string, string>): CodeReading => {
  const variables = new Map<string, Place>()
  const eventMembers = new Set<string>()
  const differences: Array<CodeReading["differences"][number]> = []
  const bodyMembers = new Set<string>()
  let responds = false
  let isAlone = true
  for (const [file, text] of texts) {
    const note = (name: string, index: number) => {
      if (!ownVariables.has(name) && !variables.has(name)) variables.set(name, { file, line: lineAt(text, index) })
    }
    for (const pattern of variablePatterns) for (const match of text.matchAll(pattern)) note(match[1]!, match.index)
    for (const pattern of eventPatterns) for (const [, name] of text.matchAll(pattern)) eventMembers.add(name!)
    for (const { 1: names = "", 2: object, index } of text.matchAll(destructured)) {
      for (const each of names.split(",")) {
        const [, name] = /^\s*([A-Za-z_$][\w$]*)/.exec(each) ?? []
        if (name === undefined) continue
        if (object === "process.env") note(name, index)
        else eventMembers.add(name)
      }
    }
    // The import gives such a step what it had there.
    const isFirst = file.endsWith(`/${FirstGeneration.originalFile}`)
    if (isFirst) { for (const [, name] of text.matchAll(eventOfFirst)) eventMembers.add(name!) }
    for (const [pattern, kind, message] of differing) {
      if (isFirst && pattern.source.includes("checkpoint")) continue
      for (const { index } of text.matchAll(pattern)) {
        differences.push({ file, line: lineAt(text, index), kind, message })
      }
    }
    for (const [, name] of text.matchAll(bodyPattern)) bodyMembers.add(name!)
    isAlone &&= !outward.test(text)
    responds ||= /\$\.respond\b|\$respond\(|\bpd\.respond\b/.test(text)
  }
  return { variables, eventMembers, bodyMembers, isAlone, responds, differences }
}

const ofRequest = new Set([
  "body",
  "bodyRaw",
  "headers",
  "method",
  "path",
  "query",
  "url",
  "client_ip",
  "inferred_body_type"
])

/** The shape of an HTTP trigger's event that the code fits: only its body, if no member of a request is read. */
export const eventShapeOf = ({ eventMembers }: Pick<CodeReading, "eventMembers">): "body" | "whole" =>
  eventMembers.size > 0 && [...eventMembers].every((name) => !ofRequest.has(name)) ? "body" : "whole"
