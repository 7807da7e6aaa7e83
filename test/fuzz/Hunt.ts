import { Clock, Effect } from "effect"
import * as FastCheck from "fast-check"
import * as Execution from "./Execution.ts"
import * as Findings from "./Findings.ts"
import * as Garden from "./Garden.ts"
import type { Plan } from "./Plan.ts"
import type { Tenant } from "./Tenant.ts"

/** Requests from one seed to the next. */
const runsPerSeed = 100

/** How many smaller requests are tried for one that shows a fault. */
const shrinkBudget = 60

export interface Options {
  readonly target: Execution.Target
  readonly findings: Findings.Findings
  readonly plans: FastCheck.Arbitrary<Plan>
  readonly tenant: Tenant
  readonly other: Tenant | undefined
  /** Of this hunter; each has its own. */
  readonly seed: number
  /** Unix time in milliseconds. */
  readonly until: number
  /** Whether the server is gone, so that nothing more can be found. */
  readonly isOver: () => boolean
  /** Whether this hunter clears away what the account has too much of. */
  readonly tends: boolean
}

/** Thrown in fast-check's predicate to say that a plan shows a fault. */
class FaultShown extends Error {}

/** Seeds are 32 bits; neighbours must not be alike. */
const mixed = (seed: number, round: number): number => (Math.imul(seed ^ (round * 0x9e3779b1), 0x85ebca6b) >>> 1) | 0

/** Looks for faults with requests of one account, one after the other, and makes those that show one smaller. */
export const hunt = Effect.fnUntraced(function*(options: Options) {
  const { findings, other, plans, target, tenant } = options
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())

  const findingsOf = (plan: Plan, outcome: Execution.Outcome): ReadonlyArray<Findings.Finding> =>
    outcome.faults.map((fault) => ({ fault, account: tenant.name, plan, ...outcome }))

  const round = (seed: number) => {
    let shown: Findings.Finding | undefined
    let budget = shrinkBudget

    /** The request that shows a fault again is a smaller one: it takes the place of the one before. */
    const shrink = (found: ReadonlyArray<Findings.Finding>, first: Findings.Finding): void => {
      const again = found.find((finding) => Findings.isSame(finding, first))
      if (again === undefined) return
      shown = again
      throw new FaultShown(again.fault.what)
    }

    const judge = (found: ReadonlyArray<Findings.Finding>): void => {
      if (shown !== undefined) return shrink(found, shown)
      const fresh = found.find((finding) => findings.isNew(finding) && finding.fault.kind !== "unanswered")
      for (const finding of found) {
        if (finding !== fresh && findings.isNew(finding)) findings.keep(finding)
        findings.count(finding)
      }
      if (fresh === undefined) return
      shown = fresh
      throw new FaultShown(fresh.fault.what)
    }

    const predicate = async (plan: Plan): Promise<void> => {
      if (options.isOver() || Date.now() > options.until + (shown === undefined ? 0 : 10_000)) return
      if (shown !== undefined && budget-- <= 0) return
      const outcome = await runPromise(Execution.execute(target, tenant, plan, other))
      judge(findingsOf(plan, outcome))
    }

    return Effect.promise(async () => {
      await FastCheck.check(FastCheck.asyncProperty(plans, predicate), { seed, numRuns: runsPerSeed })
      if (shown !== undefined) findings.keep(shown)
    })
  }

  for (let number = 0; !options.isOver() && (yield* Clock.currentTimeMillis) < options.until; number++) {
    yield* round(mixed(options.seed, number))
    if (!options.tends || options.isOver()) continue
    const outcome = yield* Garden.tend(target, tenant)
    for (const finding of outcome) {
      if (findings.isNew(finding)) findings.keep(finding)
      findings.count(finding)
    }
  }
})
