import * as BadEndpoints from "@headwater/fixtures/BadEndpoints"
import * as FreePort from "@headwater/fixtures/FreePort"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Deployment from "../Deployment.ts"
import * as Names from "../Names.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import { median, medianLatency, rounded } from "../Statistics.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"
import * as BesideHostile from "./BesideHostile.ts"
import * as Hostility from "./Hostility.ts"

const code = `
export default {
  name: "Bench noisy",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body)
  }
}`

const sources = 10
const webhooksOfEach = 10

/** How many of the hundred webhooks are bad in one half of each pair, each of another source, the first ones. */
const badOf = ({ dead }: { readonly dead: Dead }): number => dead === "mixed" ? 4 : 2

const deads = ["refused", "silent", "unresolved", "mixed", ...BadEndpoints.allKinds] as const
type Dead = (typeof deads)[number]

const isKind = Schema.is(Schema.Literals(BadEndpoints.allKinds))

/** The URLs of those that are bad. */
const badUrls = Effect.fnUntraced(function*(dead: Dead, sinkUrl: string) {
  const closed = `http://127.0.0.1:${yield* FreePort.find}/`
  const slow = `${sinkUrl}/slow/slow`
  if (isKind(dead)) {
    const { isSecure, port } = yield* BadEndpoints.make(dead)
    return [`${isSecure ? "https" : "http"}://127.0.0.1:${port}/`, slow]
  }
  return {
    refused: [closed, slow],
    silent: [`${sinkUrl}/silent/dead`, slow],
    unresolved: [Names.dead(1), Names.dead(2)],
    mixed: [closed, `${sinkUrl}/silent/hanging`, Names.dead(1), `${sinkUrl}/throttled/throttled`]
  }[dead]
})

interface Pair {
  readonly without: Piece
  readonly beside: Piece
}

const deploy = Effect.fnUntraced(function*({ server, sink, sinkUrl }: Workbench, bad: number) {
  const targetsOfSource = (source: number): ReadonlyArray<string> =>
    Array.from({ length: webhooksOfEach - (source < bad ? 1 : 0) }, (_, index) => `${source}-${index}`)

  const deployed = yield* Deployment.sources(server, code, sources)
  for (const [index, source] of deployed.entries()) {
    const webhooks = yield* Effect.forEach(
      targetsOfSource(index),
      (target) => Deployment.webhook(server, `${sinkUrl}/at-once/${target}`)
    )
    yield* Deployment.subscribeAll(server, [source], webhooks)
  }
  const healthy = deployed.flatMap((_, index) => targetsOfSource(index))
  const subject: Subject = {
    urls: deployed.map(({ endpoint }) => endpoint),
    settle: (loaded, from) =>
      Receipts.settle(sink, healthy, (index) => targetsOfSource((from + index) % sources), loaded)
  }
  return { deployed, subject }
})

const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly rate: number
  readonly dead: Dead
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { server, sinkUrl } = workbench
    const bad = badOf(options)
    const { deployed, subject } = yield* deploy(workbench, bad)
    const pressure = { connections: 16, rate: options.rate, seconds: options.seconds }

    /** Load beside some more webhooks, which come and go with it. */
    const beside = (urls: ReadonlyArray<string>) =>
      Effect.acquireUseRelease(
        Effect.forEach(urls, (url, index) =>
          Effect.gen(function*() {
            const id = yield* Deployment.webhook(server, url)
            yield* Deployment.subscribe(server, deployed[index]!.id, id)
            return id
          })),
        () => workbench.measure(subject, pressure),
        (ids) =>
          Effect.orDie(
            Effect.forEach(ids, (id) => Deployment.removeWebhook(server, id), { concurrency: bad, discard: true })
          )
      )
    const healthy = beside(Array.from({ length: bad }, (_, index) => `${sinkUrl}/at-once/beside-${index}`))
    const ill = beside(yield* badUrls(options.dead, sinkUrl))

    const warmUp = yield* healthy
    const pairs: Array<Pair> = []
    for (let round = 0; round < options.rounds; round++) {
      const pair = round % 2 === 0
        ? { without: yield* healthy, beside: yield* ill }
        : { beside: yield* ill, without: yield* healthy }
      pairs.push(pair)
      yield* Progress.say(
        `pair ${round + 1} of ${options.rounds}: p50 ${Progress.figure(pair.without.receipt.p50Ms)} ms, ` +
          `beside the bad ones ${Progress.figure(pair.beside.receipt.p50Ms)} ms`
      )
    }
    return reportOf(warmUp, pairs)
  })

const reportOf = (warmUp: Piece, pairs: ReadonlyArray<Pair>): Report => {
  const pieces = (side: keyof Pair) => pairs.map((pair) => pair[side])
  const latencyOf = (side: keyof Pair) => medianLatency(pieces(side).map(({ receipt }) => receipt))
  const throughputOf = (side: keyof Pair) => median(pieces(side).map(({ throughput }) => throughput))
  const sum = (field: "lost" | "duplicates") =>
    [warmUp, ...pieces("without"), ...pieces("beside")].reduce((total, piece) => total + piece[field], 0)
  const ratioOf = (field: "p50Ms" | "p99Ms") =>
    median(pairs.map(({ beside, without }) => beside.receipt[field] / without.receipt[field]))
  const row = (name: string, side: keyof Pair) =>
    [name, throughputOf(side), latencyOf(side).p50Ms, latencyOf(side).p99Ms] as const
  return {
    scenario: "noisy",
    throughput: throughputOf("beside"),
    limit: throughputOf("without"),
    latency: latencyOf("beside"),
    lost: sum("lost"),
    duplicates: sum("duplicates"),
    voids: [],
    tables: [{
      columns: ["healthy webhooks", "events/s", "to receipt p50", "p99"],
      rows: [
        row("without", "without"),
        row("beside the bad ones", "beside"),
        ["median of the pairs' ratios", null, ratioOf("p50Ms"), ratioOf("p99Ms")]
      ]
    }],
    figures: {
      p50_ratio: rounded(ratioOf("p50Ms")),
      p99_ratio: rounded(ratioOf("p99Ms")),
      pairs: pairs.map(({ beside, without }) => ({
        without: { p50_ms: rounded(without.receipt.p50Ms), p99_ms: rounded(without.receipt.p99Ms) },
        beside: { p50_ms: rounded(beside.receipt.p50Ms), p99_ms: rounded(beside.receipt.p99Ms) }
      }))
    }
  }
}

/** All webhooks by name; beside the healthy ones, some whose name server never answers. */
const runWithNames = (flags: Scenario.CommonFlags & Parameters<typeof scenario>[0]) =>
  Effect.scoped(Effect.flatMap(Names.environment, (environment) =>
    Scenario.run(
      flags,
      (workbench) => scenario(flags)({ ...workbench, sinkUrl: Names.named(workbench.sinkUrl) }),
      { environment }
    )))

/** Healthy webhooks beside a dead and a slow one, or a healthy account beside a hostile one. */
export const command = Command.make("noisy", {
  ...Scenario.flags,
  seconds: Scenario.seconds(10),
  rounds: Scenario.rounds(5),
  rate: Flag.Finite("rate").pipe(
    Flag.withDescription("Events a second, each to 10 webhooks; beside a hostile account, each to one"),
    Flag.withDefault(20)
  ),
  dead: Flag.Literals("dead", deads).pipe(
    Flag.withDescription(
      "What the dead webhook does: refuses connections, takes them and never answers, or another wrong; or two have a dead " +
        "name server; mixed: one each of the first three, and one that answers 429"
    ),
    Flag.withDefault("refused")
  ),
  hostile: Flag.Literals("hostile", Hostility.kinds).pipe(
    Flag.withDescription("Measures a healthy account beside a hostile one instead, and says what that one does"),
    Flag.optional
  )
}, (flags) =>
  Option.match(flags.hostile, {
    onNone: () =>
      flags.dead === "unresolved" || flags.dead === "mixed"
        ? runWithNames(flags)
        : Scenario.run(flags, scenario(flags)),
    onSome: (hostile) => Scenario.run(flags, BesideHostile.scenario({ ...flags, hostile }))
  })).pipe(
    Command.withDescription(
      "Latency of 96 or 98 healthy webhooks, with and without bad ones beside them; " +
        "or of a healthy account, with and without a hostile one"
    )
  )
