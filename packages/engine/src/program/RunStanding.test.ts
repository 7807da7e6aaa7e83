import { assert, describe, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import type { RunPath } from "@headwater/log/work/WorkflowRuns"
import { Schema } from "effect"
import * as RunStanding from "./RunStanding.ts"
import { beginning, type Turn } from "./WorkflowProgress.ts"

/** Steps, of which some are blocks with branches that run at once. */
interface Tree {
  readonly branches: ReadonlyArray<ReadonlyArray<Tree>>
}

const Tree: Schema.Codec<Tree> = Schema.Struct({
  branches: Schema.Array(Schema.Array(Schema.suspend(() => Tree)).check(Schema.isMaxLength(3))).check(
    Schema.isMaxLength(3)
  )
})

const Trees = Schema.Array(Tree).check(Schema.isMinLength(1), Schema.isMaxLength(4))
const Choices = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(20)
)

/** A step with its place, and where its branches lie. */
interface Placed {
  readonly place: number
  readonly fork: { readonly branches: Array<{ name: string; from: number; until: number }>; joins: number } | undefined
}

/** The steps in the order of their places. */
const placed = (trees: ReadonlyArray<Tree>, depth = 0, all: Array<Placed> = []): Array<Placed> => {
  for (const { branches } of trees) {
    const taken = depth < 3 ? branches.filter(({ length }) => length > 0) : []
    const fork = taken.length < 2 ? undefined : { branches: [] as Array<never>, joins: 0 }
    const step: Placed = { place: all.length, fork }
    all.push(step)
    if (step.fork === undefined) continue
    for (const [index, branch] of taken.entries()) {
      const from = all.length
      placed(branch, depth + 1, all)
      step.fork.branches.push({ name: `b${index}`, from, until: all.length })
    }
    step.fork.joins = all.length
  }
  return all
}

const begun = RunStanding.ofRun({
  id: Id.RunId.make(`run_${"1".repeat(20)}`),
  workflowId: Id.WorkflowId.make(`p_${"1".repeat(20)}`),
  deploymentId: Id.DeploymentId.make(`d_${"1".repeat(20)}`),
  trigger: { kind: "INVOCATION", id: "i", at: 0, hops: 0, emitterId: "p_1", stream: "" },
  event: "null",
  startedAt: 0,
  ...beginning,
  step: 0
})

/** Where it goes on: its paths that are running, or itself. */
const goingOn = ({ paths, run }: RunStanding.RunStanding): ReadonlyArray<string | undefined> =>
  paths.size === 0
    ? run.status === "running" ? [undefined] : []
    : [...paths.values()].filter(({ status }) => status === "running").map(({ path }) => path)

/** Writes a difference to what was written before. */
const write = (kept: Map<string, RunPath>, due: Map<string, number>, before: typeof begun, after: typeof begun) => {
  const { parts, paths } = RunStanding.differenceOf(before, after)
  for (const path of paths.removed) kept.delete(path)
  for (const path of paths.put) kept.set(path.path, path)
  for (const { key } of parts.dueDone) due.delete(key)
  for (const { dueAt, key } of parts.duePut) due.set(key, dueAt)
}

describe("the standing of a run in branches that run at once", () => {
  it.prop(
    "has each step run once, those of a branch in order, and the one after a block when all of its branches have ended",
    [Trees, Choices],
    ([trees, choices]) => {
      const steps = placed(trees)
      const done: Array<number> = []
      const kept = new Map<string, RunPath>()
      const due = new Map<string, number>()
      let standing = begun
      let n = 0
      const moveTo = (next: typeof begun) => {
        write(kept, due, standing, next)
        standing = next
      }
      for (let turn = 0; standing.run.endedAt === null; turn++) {
        const choice = choices[turn % choices.length]! + turn
        const waiting = [...standing.paths.values()].filter(({ status }) => status === "waiting")
        const some = goingOn(standing)
        const path = some[choice % Math.max(1, some.length)]
        if (some.length === 0 || waiting.length > 0 && choice % 3 === 0) {
          assert.isAbove(waiting.length, 0, "a run that has not ended goes on or waits")
          moveTo(RunStanding.resumed(standing, waiting[choice % waiting.length]!.path))
          continue
        }
        const at = path === undefined ? standing.run : standing.paths.get(path)!
        const { fork, place } = steps[at.step]!
        const end = path === undefined ? steps.length : standing.paths.get(path)!.until
        done.push(place)
        n += 1
        const checked = RunStanding.checkedFork(fork, place, end)
        assert.strictEqual(checked, fork)
        if (checked !== undefined) {
          moveTo(RunStanding.afterFork(standing, path, { n, name: `s${place}`, place }, checked))
          continue
        }
        const next = place + 1
        const progress: Turn = { ...beginning, step: next }
        const isWaiting = choice % 2 === 0
        moveTo(RunStanding.afterTurn(
          standing,
          path,
          next >= end
            ? { ...progress, status: "success", endedAt: turn }
            : isWaiting
            ? { ...progress, status: "waiting", waitsFor: "delay", dueAt: choice }
            : progress,
          steps.length
        ))
        if (path === undefined && standing.run.status === "waiting") moveTo(RunStanding.resumed(standing, undefined))
        assert.deepStrictEqual([...kept].toSorted(), [...standing.paths].toSorted())
        const waits = [...standing.paths.values()].flatMap(({ dueAt, path }) =>
          dueAt === null ? [] : [[`${standing.run.id}/${path}`, dueAt] as [string, number]]
        )
        assert.deepStrictEqual([...due].toSorted(), waits.toSorted())
        assert.strictEqual(
          standing.run.endedAt === null && standing.run.status === "waiting",
          standing.paths.size > 0 && goingOn(standing).length === 0
        )
      }
      assert.deepStrictEqual(done.toSorted((one, other) => one - other), steps.map(({ place }) => place))
      const order = new Map(done.map((place, index) => [place, index]))
      const branches = steps.flatMap(({ fork }) => fork?.branches ?? [])
      for (const { fork, place } of steps) {
        const around = branches.filter(({ from, until }) => from <= place && place < until)
        const end = Math.min(steps.length, ...around.map(({ until }) => until))
        // Behind the end of its branch lies another branch, which does not wait for it.
        const after = fork !== undefined && fork.joins < end ? order.get(fork.joins)! : Infinity
        for (const { from, until } of fork?.branches ?? []) {
          for (let inner = from; inner < until; inner++) {
            assert.isBelow(order.get(place)!, order.get(inner)!)
            assert.isBelow(order.get(inner)!, after)
          }
        }
      }
      assert.deepStrictEqual([standing.run.status, kept.size, due.size], ["success", 0, 0])
    }
  )

  it("takes no branches that overlap, lie elsewhere or have no steps", () => {
    const fork = (...places: ReadonlyArray<readonly [number, number]>) => ({
      branches: places.map(([from, until], index) => ({ name: `b${index}`, from, until })),
      joins: 9
    })
    assert.isDefined(RunStanding.checkedFork(fork([3, 4], [4, 9]), 2, 9))
    for (const places of [[], [[2, 4]], [[3, 3]], [[3, 5], [4, 9]], [[3, 10]], [[5, 6], [3, 4]]] as const) {
      assert.isUndefined(RunStanding.checkedFork(fork(...places), 2, 9), JSON.stringify(places))
    }
    assert.isUndefined(RunStanding.checkedFork({ ...fork([3, 9]), joins: 8 }, 2, 9))
  })
})
