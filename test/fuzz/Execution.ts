import { Effect } from "effect"
import type { ContractValidator } from "../ContractValidator.ts"
import * as AnswerCheck from "./AnswerCheck.ts"
import { type Operation, operationAt } from "./ApiDocument.ts"
import * as EndpointPlans from "./EndpointPlans.ts"
import { type HttpAnswer, jsonOf } from "./HttpAnswer.ts"
import type { Leaks } from "./Leaks.ts"
import * as Placeholder from "./Placeholder.ts"
import * as Plan from "./Plan.ts"
import * as RawPlans from "./RawPlans.ts"
import type { Tally } from "./Tally.ts"
import * as Tenant from "./Tenant.ts"
import * as Wire from "./Wire.ts"

/** What plans are executed against. */
export interface Target {
  readonly port: number
  readonly operations: ReadonlyArray<Operation>
  readonly validator: ContractValidator
  readonly leaks: Leaks
  readonly tally: Tally
}

/** What came of a plan. */
export interface Outcome {
  readonly faults: ReadonlyArray<AnswerCheck.Fault>
  /** What was sent, with what the placeholders stood for. */
  readonly content: Plan.Content
  readonly answers: ReadonlyArray<HttpAnswer>
}

/** Longer than any documented answer takes: a component may load for 60 seconds, and a webhook's test take 90. */
const patienceMs = 120_000

/** For what need not be answered. */
const briefMs = 300

const isWhole = (content: Plan.Content): boolean =>
  content.type === "messages" && content.messages.every(Plan.isCertain)

/** The requests as far as it is known where they begin. */
const requestsOf = (content: Plan.Content): ReadonlyArray<AnswerCheck.Request> => {
  if (content.type === "messages") {
    return content.messages.map(({ body, method, target }) => ({
      method,
      target,
      body: body.type === "text" ? body.text : ""
    }))
  }
  const [, method, target] = /^([A-Z-]+) (\S+) HTTP\/1\.[01]\r\n/.exec(content.latin1) ?? []
  return method === undefined || target === undefined ? [] : [{ method, target, body: "" }]
}

const operationOf = (target: Target, request: AnswerCheck.Request | undefined): string => {
  if (request === undefined) return RawPlans.operation
  if (AnswerCheck.isEndpoint(request.target)) return EndpointPlans.operation
  return operationAt(target.operations, request.method, request.target)?.id ?? "(not in the document)"
}

const deletion = /^\/v1\/(?:[^?]*\/)?((?:apn|as|dc|key|p|sc|wh)_[0-9A-Za-z]{20})\/?(?:\?|$)/

const kindOf = (id: string): Placeholder.Kind => {
  switch (id.slice(0, id.indexOf("_"))) {
    case "apn":
      return "appAccount"
    case "as":
      return "autoSubscription"
    case "key":
      return "key"
    case "p":
      return "workflow"
    case "sc":
      return "component"
    case "wh":
      return "webhook"
    default:
      return "source"
  }
}

const learn = (tenant: Tenant.Tenant, mode: Plan.Mode, request: AnswerCheck.Request, answer: HttpAnswer): void => {
  if (answer.status >= 300) return
  const removed = request.method === "DELETE" ? deletion.exec(request.target)?.[1] : undefined
  if (removed !== undefined) tenant.remove(kindOf(removed), removed)
  tenant.learn(jsonOf(answer), mode === "hostile" && /^(POST|PUT)$/.test(request.method))
}

const textOf = (answer: HttpAnswer): string =>
  `${Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`).join("\n")}\n${answer.body.toString()}`

const send = Effect.fnUntraced(function*(
  target: Target,
  tenant: Tenant.Tenant,
  plan: Plan.Plan,
  resolver: Placeholder.Resolver
) {
  const content = Plan.resolve(plan.content, resolver)
  const bytes = Plan.render(content)
  const requests = requestsOf(content)
  const whole = isWhole(content)
  const { answers, closed, fault } = yield* Wire.exchange(target.port, {
    bytes,
    methods: Plan.methodsOf(content),
    ends: content.type === "bytes" && content.ends,
    answers: content.type === "bytes" ? Number.POSITIVE_INFINITY : content.messages.length,
    timeoutMs: whole ? patienceMs : briefMs
  })
  // Not the bytes: chunks and codings tear apart what is said.
  const said = Plan.textOf(content)
  const faults: Array<AnswerCheck.Fault> = []
  for (const [index, answer] of answers.entries()) {
    const request = requests[index]
    const text = textOf(answer)
    const operation = operationOf(target, request)
    target.tally.count(operation, answer.status)
    if (request?.target.includes("/registry/") === true) target.leaks.share(text)
    faults.push(...AnswerCheck.check({ mode: plan.mode, expects: plan.expects, request, answer }, target.validator))
    if (plan.mode === "hostile" && index > 0 && answer.status !== 200) {
      faults.push({
        kind: "misjudged",
        what: `the request behind it on the connection is answered by ${answer.status}`
      })
    }
    const told = operation === "audit.list" ? withoutNamed(text) : text
    for (const found of target.leaks.find(tenant.name, told, said)) {
      faults.push({ kind: "leak", what: `${tenant.name} is shown ${found}` })
    }
    if (request !== undefined) learn(tenant, plan.mode, request, answer)
  }
  if (answers.length === 0) target.tally.count(operationOf(target, requests[0]), 0)
  const isExcused = closed && isLast(answers.at(-1))
  if (whole && answers.length < requests.length && !isExcused) {
    const what = `${answers.length} of ${requests.length} answered, the connection ${closed ? "closed" : "open"}`
    faults.push({ kind: "unanswered", what })
  }
  if (fault !== undefined) faults.push({ kind: "undocumented", what: fault })
  const outcome: Outcome = { faults, content, answers }
  return outcome
})

/** The audit log without what the account itself has named in paths, of whomever it is. */
const withoutNamed = (text: string): string => text.replaceAll(/"(?:path|resource_id)":"(?:[^"\\]|\\.)*"/g, "")

/** Whether no answer can come behind this one on its connection. */
const isLast = (answer: HttpAnswer | undefined): boolean =>
  answer?.headers["connection"] === "close" || answer?.headers["content-type"]?.startsWith("text/event-stream") === true

const isComparable = ({ content }: Plan.Plan): boolean =>
  content.type === "messages" && content.messages.length === 1 && Placeholder.usesOther(Plan.textOf(content)) &&
  content.messages[0]!.headers.every(([name]) => name.toLowerCase() !== "idempotency-key")

/** An answer without what may differ from one request to another. */
const gist = (answer: HttpAnswer | undefined, ids: ReadonlyArray<string>): string => {
  if (answer === undefined) return "none"
  if (answer.status < 400) return String(answer.status)
  return `${answer.status} ${ids.reduce((text, id) => text.replaceAll(id, "ID"), answer.body.toString())}`
}

/** Sends what names something of another account, and the same with ids that nobody has. */
const compare = Effect.fnUntraced(function*(
  target: Target,
  tenant: Tenant.Tenant,
  plan: Plan.Plan,
  other: Tenant.Tenant
) {
  const ids: Array<string> = []
  const note = (id: string) => ids.push(id)
  const foreign = yield* send(target, tenant, plan, Tenant.resolver(tenant, other, note))
  const unknown = yield* send(target, tenant, plan, Tenant.resolver(tenant, undefined, note))
  // The longest first: one may be part of another.
  const known = ids.toSorted((a, b) => b.length - a.length)
  return { foreign, unknown, gists: [gist(foreign.answers[0], known), gist(unknown.answers[0], known)] as const }
})

/**
 * Sends what a plan says for an account, and checks what comes back. What names something of the other account is sent
 * with unknown ids too, and has to be answered in the same way.
 */
export const execute = Effect.fnUntraced(function*(
  target: Target,
  tenant: Tenant.Tenant,
  plan: Plan.Plan,
  other: Tenant.Tenant | undefined
) {
  if (other === undefined || !isComparable(plan)) {
    return yield* send(target, tenant, plan, Tenant.resolver(tenant, other))
  }
  // What else the account does meanwhile may make a difference; not a second and a third time.
  for (let attempt = 1;; attempt++) {
    const { foreign, gists: [ofForeign, ofUnknown], unknown } = yield* compare(target, tenant, plan, other)
    const faults = [...foreign.faults, ...unknown.faults]
    if (unknown.faults.length > foreign.faults.length) return unknown
    if (faults.length > 0 || ofForeign === ofUnknown) return { ...foreign, faults }
    if (attempt < 3) continue
    const what = `what is another account's is answered by ${ofForeign}, an unknown id by ${ofUnknown}`
    const fault: AnswerCheck.Fault = { kind: "leak", what }
    return { ...foreign, faults: [fault] }
  }
})
