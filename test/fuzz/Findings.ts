import { type Fault, type FaultKind, faultKinds } from "./AnswerCheck.ts"
import type { HttpAnswer } from "./HttpAnswer.ts"
import type * as Plan from "./Plan.ts"

/** A fault, and the request that shows it. */
export interface Finding {
  readonly fault: Fault
  readonly account: string
  readonly plan: Plan.Plan
  readonly content: Plan.Content
  readonly answers: ReadonlyArray<HttpAnswer>
}

/** How many of one sort are told in full. */
const told = 3

/** How much of a body is told. The rest follows from the seed. */
const shownLength = 16_384

/** Faults of one sort differ in ids and numbers. */
const sortOf = ({ fault, plan }: Finding): string =>
  `${fault.kind} ${plan.operation} ${fault.what.replace(/[a-z]+_[0-9A-Za-z]{20}|\d{4,}|"[^"]*"/g, "*").slice(0, 160)}`

const isText = (text: string): boolean => text.isWellFormed() && !/[^\P{Cc}\r\n\t]/u.test(text)

const shown = (bytes: Buffer): Readonly<Record<string, unknown>> => {
  const text = bytes.toString("utf8")
  const isWhole = bytes.length <= shownLength
  const rest = isWhole ? {} : { cut_from_bytes: bytes.length }
  return isText(text) && Buffer.from(text).equals(bytes)
    ? { text: text.slice(0, shownLength), ...rest }
    : { base64: bytes.subarray(0, shownLength).toString("base64"), ...rest }
}

const requestOf = (content: Plan.Content): unknown =>
  content.type === "bytes"
    ? { bytes: shown(Buffer.from(content.latin1, "latin1")), then_closed: content.ends }
    : content.messages.map(({ body, framing, headers, method, target }) => ({
      method,
      target: target.length > shownLength ? `${target.slice(0, shownLength)}…(${target.length})` : target,
      headers: headers.length > 100 ? [...headers.slice(0, 5), `…(${headers.length})`] : headers,
      framing,
      body: body.type === "none"
        ? undefined
        : {
          ...shown(body.type === "text" ? Buffer.from(body.text) : Buffer.from(body.base64, "base64")),
          coding: body.coding
        }
    }))

const tell = ({ account, answers, content, fault, plan }: Finding): string =>
  [
    `${fault.kind} (${faultKinds[fault.kind]}), account ${account}, ${plan.operation}, ${plan.trait}:`,
    `  ${fault.what}`,
    `  request: ${JSON.stringify(requestOf(content))}`,
    ...answers.map(({ body, headers, status }) =>
      `  answer: ${status} ${JSON.stringify(headers)} ${JSON.stringify(body.toString("utf8").slice(0, 1_000))}`
    )
  ].join("\n")

/** What was found, each sort told a few times and counted after that. */
export interface Findings {
  /** Whether none of this sort has been found before. */
  readonly isNew: (finding: Finding) => boolean
  readonly count: (finding: Finding) => void
  /** Keeps the request that shows it best, to be told at the end. */
  readonly keep: (finding: Finding) => void
  readonly total: (kind: FaultKind) => number
  readonly text: () => string
}

export const make = (): Findings => {
  const totals = new Map<FaultKind, number>()
  const sorts = new Map<string, number>()
  const kept = new Map<string, Array<Finding>>()
  return {
    isNew: (finding) => !sorts.has(sortOf(finding)),
    count: (finding) => {
      const sort = sortOf(finding)
      sorts.set(sort, (sorts.get(sort) ?? 0) + 1)
      totals.set(finding.fault.kind, (totals.get(finding.fault.kind) ?? 0) + 1)
    },
    keep: (finding) => {
      const sort = sortOf(finding)
      const known = kept.get(sort) ?? []
      kept.set(sort, known)
      if (known.length < told) known.push(finding)
    },
    total: (kind) => totals.get(kind) ?? 0,
    text: () =>
      [...kept].flatMap(([sort, findings]) => [
        `${sorts.get(sort) ?? 0} times:`,
        ...findings.slice(0, 1).map(tell),
        ""
      ]).join("\n")
  }
}

/** Whether two findings are of one sort. */
export const isSame = (a: Finding, b: Finding): boolean => sortOf(a) === sortOf(b)
