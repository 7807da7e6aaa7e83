/** What was measured in rounds, for people and for machines. */
import type { Schema } from "effect"
import type { Table } from "./Report.ts"
import * as Rounds from "./Rounds.ts"
import { type Latency, median, rounded } from "./Statistics.ts"

const spenders = ["server", "postgres", "sandboxes", "reference", "load", "sink"]

/** These, and what else was watched. */
const spendersOf = (measured: ReadonlyArray<Rounds.Measured>): ReadonlyArray<string> => [
  ...new Set([...spenders, ...measured.flatMap(({ pieces }) => pieces.flatMap(({ cpu }) => Object.keys(cpu)))])
]

/** Microseconds of processor time an event, the median over the rounds. */
const cpuOf = ({ pieces }: Rounds.Measured, names: ReadonlyArray<string>) =>
  names.map((name) => [name, median(pieces.map(({ cpu }) => cpu[name] ?? 0))] as const)

const refusedOf = ({ pieces }: Rounds.Measured): number =>
  pieces.flatMap(({ refused }) => Object.values(refused)).reduce((sum, count) => sum + count, 0)

export const table = (measured: ReadonlyArray<Rounds.Measured>): Table => ({
  columns: [
    "",
    "events/s",
    "ack p50 ms",
    "p99",
    "to receipt p50",
    "p99",
    "POST to receipt p50",
    "p99",
    "refused",
    ...spendersOf(measured).map((name, index) => index === 0 ? `CPU µs/event: ${name}` : name)
  ],
  rows: measured.map((cell) => {
    const [ack, receipt, fromPost] = [Rounds.ackOf(cell), Rounds.receiptOf(cell), Rounds.fromPostOf(cell)]
    return [
      cell.name,
      Rounds.throughputOf(cell),
      ack.p50Ms,
      ack.p99Ms,
      receipt.p50Ms,
      receipt.p99Ms,
      fromPost.p50Ms,
      fromPost.p99Ms,
      refusedOf(cell),
      ...cpuOf(cell, spendersOf(measured)).map(([, micros]) => Math.round(micros))
    ]
  })
})

const threadsOf = ({ pieces }: Rounds.Measured) =>
  [...new Set(pieces.flatMap(({ threads }) => Object.keys(threads)))]
    .map((name) => [name, median(pieces.map(({ threads }) => threads[name] ?? 0))] as const)
    .filter(([, micros]) => micros > 0)
    .toSorted(([, one], [, other]) => other - one)

/** The server's processor time an event by thread, in cells that put load on it. */
export const threadTable = (measured: ReadonlyArray<Rounds.Measured>): Table => {
  const names = [...new Set(measured.flatMap((cell) => threadsOf(cell).map(([name]) => name)))]
  return {
    columns: ["", ...names.map((name, index) => index === 0 ? `CPU µs/event of the server: ${name}` : name)],
    rows: measured.map((cell) => {
      const micros = new Map(threadsOf(cell))
      return [cell.name, ...names.map((name) => Math.round(micros.get(name) ?? 0))] as const
    })
  }
}

const latencyJson = ({ p50Ms, p99Ms }: Latency) => ({ p50_ms: rounded(p50Ms), p99_ms: rounded(p99Ms) })

export const json = (measured: ReadonlyArray<Rounds.Measured>): { readonly [name: string]: Schema.Json } =>
  Object.fromEntries(measured.map((cell) => {
    const { pieces } = cell
    return [cell.name, {
      throughput: rounded(Rounds.throughputOf(cell)),
      rounds: pieces.map(({ throughput }) => rounded(throughput)),
      ack: latencyJson(Rounds.ackOf(cell)),
      receipt: latencyJson(Rounds.receiptOf(cell)),
      from_post: latencyJson(Rounds.fromPostOf(cell)),
      events: pieces.reduce((sum, { acked }) => sum + acked, 0),
      refused: refusedOf(cell),
      cpu_us_per_event: Object.fromEntries(
        cpuOf(cell, spendersOf(measured)).map(([name, micros]) => [name, rounded(micros)])
      ),
      thread_us_per_event: Object.fromEntries(threadsOf(cell).map(([name, micros]) => [name, rounded(micros)]))
    }]
  }))
