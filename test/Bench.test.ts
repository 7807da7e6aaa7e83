import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import * as Receipts from "./bench/Receipts.ts"
import * as Report from "./bench/Report.ts"

const main = Path.resolve(import.meta.dirname, "bench/main.ts")

const run = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = execFile(process.execPath, [main, ...args], (error, stdout, stderr) => {
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
    })
    return Effect.sync(() => child.kill("SIGTERM"))
  })

const Summary = Schema.fromJsonString(Schema.Struct({
  scenario: Schema.String,
  void: Schema.Boolean,
  throughput: Schema.Finite,
  limit: Schema.Finite,
  ratio: Schema.Finite,
  p50_ms: Schema.Finite,
  p99_ms: Schema.Finite,
  lost: Schema.Int,
  void_reasons: Schema.Array(Schema.String),
  cells: Schema.Record(
    Schema.String,
    Schema.Struct({ events: Schema.Int, thread_us_per_event: Schema.Record(Schema.String, Schema.Finite) })
  )
}))

const HeldSummary = Schema.fromJsonString(Schema.Struct({
  lost: Schema.Int,
  cells: Schema.Record(Schema.String, Schema.Struct({ events: Schema.Int })),
  dead_rows: Schema.Record(Schema.String, Schema.Struct({ fences: Schema.Int }))
}))

const report: Report.Report = {
  scenario: "some",
  throughput: 50,
  limit: 100,
  latency: { p50Ms: 1, p99Ms: 2 },
  lost: 0,
  duplicates: 0,
  voids: [],
  tables: [],
  figures: {}
}

describe("Bench", () => {
  it.live(
    "the pipeline runs from end to end over TLS, loses nothing, and ends with one line for machines",
    () =>
      Effect.gen(function*() {
        const ran = yield* run(
          "pipeline",
          "--brief",
          "--tls",
          "--sources",
          "3",
          "--seconds",
          "1",
          "--rounds",
          "1",
          "--json"
        )
        const lastLine = ran.stdout.trimEnd().split("\n").at(-1) ?? ""
        const summary = yield* Schema.decodeEffect(Summary)(lastLine).pipe(
          Effect.catch(() => Effect.die(new Error(`${ran.stdout}\n${ran.stderr}`)))
        )
        assert.strictEqual(summary.scenario, "pipeline")
        assert.strictEqual(summary.lost, 0)
        assert.isAbove(summary.throughput, 0)
        assert.closeTo(summary.ratio, summary.throughput / summary.limit, 0.01 * summary.ratio)
        assert.isAtMost(summary.p50_ms, summary.p99_ms)
        for (const [name, { events }] of Object.entries(summary.cells)) assert.isAbove(events, 0, name)
        const threads = summary.cells["3 sources, 64 connections"]?.thread_us_per_event ?? {}
        assert.isAbove(threads["main"] ?? 0, threads["V8Worker"] ?? 0)
        // On a busy machine the reference may be held up, which makes a run void too.
        assert.strictEqual(summary.void, summary.void_reasons.length > 0)
        assert.strictEqual(ran.code, summary.void ? 1 : 0)
      }),
    240_000
  )

  it.live(
    "steady load beside an open transaction loses nothing, and commits leave no versions of fences behind",
    () =>
      Effect.gen(function*() {
        const ran = yield* run("held", "--minutes", "0.05", "--seconds", "1", "--rate", "50", "--json")
        const lastLine = ran.stdout.trimEnd().split("\n").at(-1) ?? ""
        const summary = yield* Schema.decodeEffect(HeldSummary)(lastLine).pipe(
          Effect.catch(() => Effect.die(new Error(`${ran.stdout}\n${ran.stderr}`)))
        )
        assert.strictEqual(summary.lost, 0)
        assert.strictEqual(ran.code, 0)
        const stretches = ["before", "held, first", "held, last", "let go, first", "let go, second"]
        assert.sameMembers(Object.keys(summary.cells), stretches)
        assert.sameMembers(Object.keys(summary.dead_rows), stretches)
        for (const [name, { events }] of Object.entries(summary.cells)) assert.isAbove(events, 0, name)
        // An event has three commits. What changes with its owner alone changes when the owner is activated.
        const events = ["before", "held, first", "held, last"].reduce(
          (sum, name) => sum + summary.cells[name]!.events,
          0
        )
        assert.isBelow(summary.dead_rows["held, last"]!.fences, 2 * events)
      }),
    240_000
  )

  it("counts as lost what was acknowledged and did not come to each of its targets", () => {
    const settled = Receipts.reconcile(
      { sentAt: Float64Array.of(9, 17, 30, 38), ackedAt: Float64Array.of(10, 20, 0, 40) },
      (index) => index === 3 ? ["a"] : ["a", "b"],
      {
        a: { receivedAt: Float64Array.of(11, 21, 0, 45), repeated: 2 },
        b: { receivedAt: Float64Array.of(12, 0, 31), repeated: 1 }
      }
    )
    assert.deepStrictEqual(settled, {
      lost: 1,
      duplicates: 3,
      endedAt: 45,
      receipts: [1, 2, 1, 5],
      fromPost: [2, 3, 4, 7]
    })
  })

  it("calls a run void that lost an event, or in which the machine was not itself", () => {
    assert.isFalse(Report.json(report)["void"])
    assert.isTrue(Report.json({ ...report, lost: 1 })["void"])
    assert.isTrue(Report.json({ ...report, voids: ["the reference was held up"] })["void"])
  })
})
