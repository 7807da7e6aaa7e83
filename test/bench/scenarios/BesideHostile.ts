import { Effect } from "effect"
import * as Deployment from "../Deployment.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import type { Report } from "../Report.ts"
import { median, medianLatency, rounded } from "../Statistics.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"
import * as Hostility from "./Hostility.ts"

const code = `
export default {
  name: "Bench beside hostile",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body)
  }
}`

const sources = 10

/** A healthy account: sources with a webhook each. */
const deployHealthy = Effect.fnUntraced(function*({ server, sink, sinkUrl }: Workbench) {
  const deployed = yield* Deployment.sources(server, code, sources)
  const targetOf = (source: number) => `healthy-${source}`
  for (const [index, source] of deployed.entries()) {
    const webhook = yield* Deployment.webhook(server, `${sinkUrl}/at-once/${targetOf(index)}`)
    yield* Deployment.subscribe(server, source.id, webhook)
  }
  const targets = deployed.map((_, index) => targetOf(index))
  const subject: Subject = {
    urls: deployed.map(({ endpoint }) => endpoint),
    settle: (loaded, from) => Receipts.settle(sink, targets, (index) => [targetOf((from + index) % sources)], loaded)
  }
  return subject
})

interface Pair {
  readonly calm: Piece
  readonly beside: Piece
  readonly answers: Readonly<Record<string, number>>
}

/** A healthy account, calm and beside a hostile one in turn. */
export const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly rate: number
  readonly hostile: Hostility.Kind
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const subject = yield* deployHealthy(workbench)
    const hostility = yield* Hostility.make(workbench, options.hostile)
    const measured = workbench.measure(subject, { connections: 16, rate: options.rate, seconds: options.seconds })
    const warmUp = yield* measured
    const pairs: Array<Pair> = []
    for (let round = 0; round < options.rounds; round++) {
      const calm = yield* measured
      const [beside, answers] = yield* hostility.during(measured)
      pairs.push({ calm, beside, answers })
      yield* Progress.say(
        `pair ${round + 1} of ${options.rounds}: ack p50 ${Progress.figure(calm.ack.p50Ms)} ms, p99 ` +
          `${Progress.figure(calm.ack.p99Ms)}; beside the hostile account ${Progress.figure(beside.ack.p50Ms)} and ` +
          `${Progress.figure(beside.ack.p99Ms)}; to receipt ${Progress.figure(calm.receipt.p50Ms)} and ` +
          `${Progress.figure(calm.receipt.p99Ms)}; ${Progress.figure(beside.receipt.p50Ms)} and ` +
          `${Progress.figure(beside.receipt.p99Ms)}; the hostile account's answers ${JSON.stringify(answers)}`
      )
    }
    return reportOf(warmUp, pairs)
  })

const reportOf = (warmUp: Piece, pairs: ReadonlyArray<Pair>): Report => {
  const pieces = (side: "calm" | "beside") => pairs.map((pair) => pair[side])
  const all = [warmUp, ...pieces("calm"), ...pieces("beside")]
  const sum = (field: "lost" | "duplicates") => all.reduce((total, piece) => total + piece[field], 0)
  const latencyOf = (side: "calm" | "beside", of: "ack" | "receipt") =>
    medianLatency(pieces(side).map((piece) => piece[of]))
  const throughputOf = (side: "calm" | "beside") => median(pieces(side).map(({ throughput }) => throughput))
  const ratioOf = (of: "ack" | "receipt", field: "p50Ms" | "p99Ms") =>
    median(pairs.map(({ beside, calm }) => beside[of][field] / calm[of][field]))
  const row = (name: string, side: "calm" | "beside") => {
    const ack = latencyOf(side, "ack")
    const receipt = latencyOf(side, "receipt")
    return [name, throughputOf(side), ack.p50Ms, ack.p99Ms, receipt.p50Ms, receipt.p99Ms] as const
  }
  const ratios = [
    ratioOf("ack", "p50Ms"),
    ratioOf("ack", "p99Ms"),
    ratioOf("receipt", "p50Ms"),
    ratioOf("receipt", "p99Ms")
  ] as const
  return {
    scenario: "noisy",
    throughput: throughputOf("beside"),
    limit: throughputOf("calm"),
    latency: latencyOf("beside", "ack"),
    lost: sum("lost"),
    duplicates: sum("duplicates"),
    voids: [],
    tables: [{
      columns: ["healthy account", "events/s", "ack p50", "p99", "to receipt p50", "p99"],
      rows: [
        row("calm", "calm"),
        row("beside a hostile account", "beside"),
        ["median of the pairs' ratios", null, ...ratios]
      ]
    }],
    figures: {
      p50_ratio: rounded(ratios[0]),
      p99_ratio: rounded(ratios[1]),
      receipt_p50_ratio: rounded(ratios[2]),
      receipt_p99_ratio: rounded(ratios[3]),
      hostile_answers: pairs.map(({ answers }) => answers)
    }
  }
}
