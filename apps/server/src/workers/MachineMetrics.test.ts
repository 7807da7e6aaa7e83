import { assert, it } from "@effect/vitest"
import { MachineMetrics } from "./MachineMetrics.ts"

const scrape = (runs: number, seconds: number, waiting: number, shards: number) =>
  [
    "# HELP headwater_runs_total Runs.",
    "# TYPE headwater_runs_total counter",
    `headwater_runs_total{outcome="success"} ${runs}`,
    "# TYPE headwater_run_duration_seconds histogram",
    `headwater_run_duration_seconds_bucket{le="1"} ${runs}`,
    `headwater_run_duration_seconds_bucket{le="+Inf"} ${runs}`,
    `headwater_run_duration_seconds_sum ${seconds}`,
    `headwater_run_duration_seconds_count ${runs}`,
    "# TYPE headwater_sandbox_waiting gauge",
    `headwater_sandbox_waiting ${waiting}`,
    "# TYPE effect_cluster_shards gauge",
    `effect_cluster_shards ${shards}`,
    ""
  ].join("\n")

it("what workers count adds up, and does not fall when one of them is started again", () => {
  const metrics = new MachineMetrics()
  metrics.note(1, scrape(5, 1.5, 2, 150))
  metrics.note(2, scrape(7, 0.5, 1, 140))
  const both = [
    "# HELP headwater_runs_total Runs.",
    "# TYPE headwater_runs_total counter",
    `headwater_runs_total{outcome="success"} 12`,
    "# TYPE headwater_run_duration_seconds histogram",
    `headwater_run_duration_seconds_bucket{le="1"} 12`,
    `headwater_run_duration_seconds_bucket{le="+Inf"} 12`,
    "headwater_run_duration_seconds_sum 2",
    "headwater_run_duration_seconds_count 12",
    "# TYPE headwater_sandbox_waiting gauge",
    "headwater_sandbox_waiting 3",
    "# TYPE effect_cluster_shards gauge",
    `effect_cluster_shards{worker="1"} 150`,
    `effect_cluster_shards{worker="2"} 140`,
    ""
  ]
  assert.deepStrictEqual(metrics.format().split("\n"), both)

  metrics.noteEnd(2)
  const alone = metrics.format()
  assert.include(alone, `headwater_runs_total{outcome="success"} 12\n`)
  assert.include(alone, "headwater_sandbox_waiting 2\n")
  assert.notInclude(alone, `worker="2"`)
  metrics.note(2, scrape(1, 0.5, 0, 150))
  assert.include(metrics.format(), `headwater_runs_total{outcome="success"} 13\n`)
})
