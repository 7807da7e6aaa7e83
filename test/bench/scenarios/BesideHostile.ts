import { Effect } from "effect"
import * as Deployment from "../Deployment.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import * as ReferenceRun from "../ReferenceRun.ts"
import type { Report } from "../Report.ts"
import { median, medianLatency, rounded } from "../Statistics.ts"
import { beside as workbenchBeside, type Piece, type Subject, type Workbench } from "../Workbench.ts"
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

/** One stretch of load on the healthy account, and then the same load on the reference. */
interface Stretch {
  readonly account: Piece
  /** What it loses goes beyond what Headwater can do about: they share the machine and Postgres, and no code. */
  readonly reference: Piece
}

interface Pair {
  readonly calm: Stretch
  readonly beside: Stretch
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
    const referencesOwn = yield* workbenchBeside(workbench.server)
    const reference = (yield* ReferenceRun.make(referencesOwn)).ack("durable")
    const pressure = { connections: 16, rate: options.rate, seconds: options.seconds }
    const loaded = workbench.measure(subject, pressure)
    const measured = Effect.all({
      account: loaded,
      // The account's load goes on meanwhile, or the hostile one would be alone with the server and be given more of it.
      reference: Effect.map(
        Effect.all([referencesOwn.measure(reference, pressure), loaded], { concurrency: 2 }),
        ([own]) => own
      )
    })
    const warmUp = yield* measured
    const pairs: Array<Pair> = []
    for (let round = 0; round < options.rounds; round++) {
      const calm = yield* measured
      const [beside, answers] = yield* hostility.during(measured)
      pairs.push({ calm, beside, answers })
      const latencies = (of: "ack" | "receipt") =>
        [calm, beside].map(({ account }) =>
          `${Progress.figure(account[of].p50Ms)} and ${Progress.figure(account[of].p99Ms)}`
        ).join("; ")
      yield* Progress.say(
        `pair ${round + 1} of ${options.rounds}, calm and beside the hostile account: ack p50 and p99 ${
          latencies("ack")
        } ` +
          `ms; to receipt ${latencies("receipt")}; the reference's ack p99 ${
            Progress.figure(calm.reference.ack.p99Ms)
          } ` +
          `and ${Progress.figure(beside.reference.ack.p99Ms)}; the hostile account's answers ${JSON.stringify(answers)}`
      )
    }
    return reportOf(warmUp, pairs)
  })

const reportOf = (warmUp: Stretch, pairs: ReadonlyArray<Pair>): Report => {
  const pieces = (side: "calm" | "beside", whose: keyof Stretch) => pairs.map((pair) => pair[side][whose])
  const all = [warmUp.account, ...pieces("calm", "account"), ...pieces("beside", "account")]
  const sum = (field: "lost" | "duplicates") => all.reduce((total, piece) => total + piece[field], 0)
  const throughputOf = (side: "calm" | "beside") => median(pieces(side, "account").map(({ throughput }) => throughput))
  const latencyOf = (side: "calm" | "beside", whose: keyof Stretch, of: "ack" | "receipt") =>
    medianLatency(pieces(side, whose).map((piece) => piece[of]))
  const ratiosOf = (whose: keyof Stretch, of: "ack" | "receipt") => {
    const ratio = (field: "p50Ms" | "p99Ms") =>
      median(pairs.map(({ beside, calm }) => beside[whose][of][field] / calm[whose][of][field]))
    return { p50: ratio("p50Ms"), p99: ratio("p99Ms") }
  }
  const row = (name: string, side: "calm" | "beside") => {
    const ack = latencyOf(side, "account", "ack")
    const receipt = latencyOf(side, "account", "receipt")
    return [name, throughputOf(side), ack.p50Ms, ack.p99Ms, receipt.p50Ms, receipt.p99Ms] as const
  }
  const referenceRow = (name: string, side: "calm" | "beside") => {
    const { p50Ms, p99Ms } = latencyOf(side, "reference", "ack")
    return [
      name,
      median(pieces(side, "reference").map(({ throughput }) => throughput)),
      p50Ms,
      p99Ms,
      null,
      null
    ] as const
  }
  const [ack, receipt, reference] = [
    ratiosOf("account", "ack"),
    ratiosOf("account", "receipt"),
    ratiosOf("reference", "ack")
  ]
  return {
    scenario: "noisy",
    throughput: throughputOf("beside"),
    limit: throughputOf("calm"),
    latency: latencyOf("beside", "account", "ack"),
    lost: sum("lost"),
    duplicates: sum("duplicates"),
    voids: [],
    tables: [{
      columns: ["healthy account", "events/s", "ack p50", "p99", "to receipt p50", "p99"],
      rows: [
        row("calm", "calm"),
        row("beside a hostile account", "beside"),
        ["median of the pairs' ratios", null, ack.p50, ack.p99, receipt.p50, receipt.p99],
        referenceRow("reference, calm", "calm"),
        referenceRow("reference, beside a hostile account", "beside"),
        ["median of the pairs' ratios", null, reference.p50, reference.p99, null, null]
      ]
    }],
    figures: {
      p50_ratio: rounded(ack.p50),
      p99_ratio: rounded(ack.p99),
      receipt_p50_ratio: rounded(receipt.p50),
      receipt_p99_ratio: rounded(receipt.p99),
      reference_p50_ratio: rounded(reference.p50),
      reference_p99_ratio: rounded(reference.p99),
      hostile_answers: pairs.map(({ answers }) => answers)
    }
  }
}
