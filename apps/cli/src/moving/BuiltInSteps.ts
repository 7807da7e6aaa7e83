/** Steps that the hosted service has itself, as files of the set-up. Their values stay in the props. */
import { Predicate, type Schema } from "effect"

const compare =
  `const text = (value) => typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

const number = (value) => {
  const read = typeof value === "number" ? value : Number.parseFloat(String(value))
  if (Number.isNaN(read)) throw new TypeError(\`\${text(value)} is no number\`)
  return read
}
`

const filterRules = `// Goes on with the run, or ends it, by rules over values.

${compare}
const operators = {
  "str=": (a, b) => text(a) === text(b),
  "str/": (a, b) => text(a).includes(text(b)),
  "num=": (a, b) => number(a) === number(b),
  "num>": (a, b) => number(a) > number(b),
  "num>=": (a, b) => number(a) >= number(b),
  "num<": (a, b) => number(a) < number(b),
  "num<=": (a, b) => number(a) <= number(b)
}

const holds = (rule) => {
  if (rule.t === "and") return rule.r.every(holds)
  if (rule.t === "or") return rule.r.some(holds)
  const operator = Object.hasOwn(operators, rule.op) ? operators[rule.op] : undefined
  if (operator === undefined) throw new TypeError(\`the rule has an operator that is not known: \${rule.op}\`)
  return operator(rule.a, rule.b)
}

export default {
  type: "action",
  props: { filter: "object" },
  run({ $ }) {
    const goesOn = holds(this.filter.rules) === (this.filter.continue !== false)
    if (!goesOn) return $.flow.exit("filtered out")
    return true
  }
}
`

const condition = `// Goes on with the run, or ends it, by the comparison of two values.

${compare}
const truth = (value) => {
  const read = text(value).toLowerCase()
  if (read === "true" || read === "false") return read === "true"
  throw new TypeError(\`\${read} is neither true nor false\`)
}

const has = (object, key) => {
  const read = typeof object === "string" ? JSON.parse(object) : object
  return (read?.[text(key)] ?? null) !== null
}

const within = (list, value) => (Array.isArray(list) ? list : JSON.parse(text(list))).some((each) => text(each) === text(value))

const conditions = {
  CONTAINS: (a, b) => a.includes(b),
  NOT_CONTAINS: (a, b) => !a.includes(b),
  TEXT_EQUALS: (a, b) => a === b,
  TEXT_NOT_EQUALS: (a, b) => a !== b,
  STARTS_WITH: (a, b) => a.startsWith(b),
  NOT_STARTS_WITH: (a, b) => !a.startsWith(b),
  ENDS_WITH: (a, b) => a.endsWith(b),
  NOT_ENDS_WITH: (a, b) => !a.endsWith(b),
  GREATER_THAN: (a, b) => number(a) > number(b),
  GREATER_THAN_EQUALS: (a, b) => number(a) >= number(b),
  LESS_THAN: (a, b) => number(a) < number(b),
  LESS_THAN_EQUALS: (a, b) => number(a) <= number(b),
  EQUALS: (a, b) => number(a) === number(b),
  TRUE: truth,
  FALSE: (a) => !truth(a),
  IS_NULL: (a) => a === undefined || a === null || a === "null" || a === "undefined",
  NOT_NULL: (a) => !conditions.IS_NULL(a),
  IN_ARRAY: (a, b) => within(b, a),
  NOT_IN_ARRAY: (a, b) => !within(b, a),
  KEY_EXISTS: has,
  KEY_NOT_EXISTS: (a, b) => !has(a, b)
}

const ofText = new Set(Object.keys(conditions).slice(0, 8))

export default {
  type: "action",
  props: {
    condition: "string",
    operand1: { type: "any", optional: true },
    operand2: { type: "any", optional: true },
    caseSensitive: { type: "boolean", optional: true },
    reason: { type: "string", optional: true },
    endsRun: { type: "boolean", default: false }
  },
  run({ $ }) {
    if (!Object.hasOwn(conditions, this.condition)) throw new TypeError(\`there is no condition \${this.condition}\`)
    const read = (value) => {
      if (!ofText.has(this.condition)) return value
      return this.caseSensitive === false ? text(value).toLowerCase() : text(value)
    }
    const holds = conditions[this.condition](read(this.operand1), read(this.operand2))
    if (holds === this.endsRun) return $.flow.exit(this.reason ?? "filtered out")
    if (this.reason !== undefined) $.export("$summary", this.reason)
  }
}
`

const respond = `// Answers the request that began the run.

export default {
  type: "action",
  props: {
    resStatusCode: { type: "integer", default: 200 },
    resHeaders: { type: "object", optional: true },
    resBody: { type: "any", optional: true }
  },
  async run({ $ }) {
    const { resBody: body, resHeaders: headers, resStatusCode: status } = this
    await $.respond({ status, ...(headers === undefined ? {} : { headers }), body })
    $.export("$summary", \`answered \${status}\`)
  }
}
`

const mailOwner = `// Sends an e-mail to the owner of the account.

export default {
  type: "action",
  props: {
    subject: "string",
    text: { type: "string", optional: true },
    html: { type: "string", optional: true }
  },
  run({ $ }) {
    const { html, subject, text } = this
    $.send.email({ subject, text: text ?? "", ...(html === undefined ? {} : { html }) })
  }
}
`

/** The text of each file, by its name. */
export const files = { filterRules, condition, respond, mailOwner } as const
export type Name = keyof typeof files

export const fileOf = (name: Name): string =>
  `actions/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.mjs`

type Fields = Readonly<Record<string, Schema.Json>>

/** A step that stands in place of an action of the service, with those of the action's props that it reads. */
export type Replacement =
  & { readonly reads: ReadonlyArray<string> }
  & (
    | { readonly _tag: "File"; readonly name: Name; readonly props: Fields }
    | { readonly _tag: "Delay"; readonly delay: Schema.Json }
    | { readonly _tag: "End"; readonly reason: Schema.Json }
  )

const unitMs: Readonly<Record<string, number>> = { Milliseconds: 1, Seconds: 1_000, Minutes: 60_000, Hours: 3_600_000 }

/** An expression that is the whole of a text. */
const wholeExpression = (value: Schema.Json | undefined): string | undefined =>
  typeof value === "string" ? /^\s*\{\{((?:(?!\}\}).)+)\}\}\s*$/s.exec(value)?.[1]?.trim() : undefined

const delayOf = (props: Fields): Schema.Json | undefined => {
  const unit = unitMs[String(props["delayDurationUnit"])]
  const value = props["delayDurationValue"]
  if (unit === undefined || value === undefined) return undefined
  const expression = wholeExpression(value)
  if (expression !== undefined) return `{{ Number(${expression}) * ${unit} }}`
  const number = typeof value === "number" ? value : typeof value === "string" ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number * unit : undefined
}

const only = (props: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.flatMap((name) => props[name] === undefined ? [] : [[name, props[name]]]))

const operands = ["condition", "operand1", "operand2", "caseSensitive", "reason"]
const answers = ["resStatusCode", "resHeaders", "resBody"]
const mails = ["subject", "text", "html"]

/** The replacement of an action of the service's own; none for others, and where its values are not understood. */
export const replacementOf = (key: string, props: Fields): Replacement | undefined => {
  switch (key) {
    case "delay-workflow-delay":
    case "delay-delay-workflow": {
      const delay = delayOf(props)
      return delay === undefined
        ? undefined
        : { _tag: "Delay", reads: ["delayDurationValue", "delayDurationUnit"], delay }
    }
    case "filter-end-workflow-execution":
      return { _tag: "End", reads: ["reason"], reason: props["reason"] ?? true }
    case "filter-continue-workflow-condition":
    case "filter-continue-based-on-condition":
    case "filter-continue-on-condition":
    case "filter-end-workflow-condition":
    case "filter-end-based-on-condition":
    case "filter-end-on-condition":
      return typeof props["condition"] !== "string" ? undefined : {
        _tag: "File",
        reads: operands,
        name: "condition",
        props: { ...only(props, operands), ...(key.startsWith("filter-end") ? { endsRun: true } : {}) }
      }
    case "http-return-http-response":
      return { _tag: "File", reads: answers, name: "respond", props: only(props, answers) }
    case "email-send-email-to-self":
    case "email-send-email":
      return { _tag: "File", reads: mails, name: "mailOwner", props: only(props, mails) }
    default:
      return undefined
  }
}

const known = new Set(["str=", "str/", "num=", "num>", "num>=", "num<", "num<="])

/** Operators of the rules of a filter that are not known here; undefined if they are no rules at all. */
export const unknownOperators = (rule: unknown, depth = 0): ReadonlyArray<string> | undefined => {
  if (!Predicate.isObject(rule) || Array.isArray(rule) || depth > 50) return undefined
  const { op, r, t } = rule as { readonly op?: unknown; readonly r?: unknown; readonly t?: unknown }
  if (t === "and" || t === "or") {
    if (!Array.isArray(r)) return undefined
    const inner = r.map((each) => unknownOperators(each, depth + 1))
    return inner.includes(undefined) ? undefined : inner.flatMap((each) => each ?? [])
  }
  return typeof op === "string" ? known.has(op) ? [] : [op] : undefined
}
