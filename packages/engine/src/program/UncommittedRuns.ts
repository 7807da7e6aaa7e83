import type { RunId } from "@headwater/domain/Id"
import type { EndedStep } from "./StepEnd.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/**
 * A workflow's runs whose commits failed through no fault of their own, beyond the memory that the owner drops then.
 *
 * - U1. A step that has ended is committed when its run goes on, and not run again: what it did outside can't be undone.
 * - U2. A run whose beginning was not committed begins again under the same id.
 */
export class UncommittedRuns {
  private readonly ids = new Map<string, RunId>()
  private readonly steps = new Map<string, EndedStep>()

  keepStep({ key }: WorkflowProgress, step: EndedStep): void {
    this.steps.set(key, step)
  }

  /** The step that a run, or a path of it, is at, if it has ended. Told once. */
  takeStep({ key, n }: WorkflowProgress): EndedStep | undefined {
    const step = this.steps.get(key)
    this.steps.delete(key)
    return step?.n === n ? step : undefined
  }

  keepRun(inputId: string, run: RunId): void {
    this.ids.set(inputId, run)
  }

  /** True if a run over an input is to begin again. */
  hasRun(inputId: string): boolean {
    return this.ids.has(inputId)
  }

  /** The id of the run over an input that is to begin again. Told once. */
  takeRun(inputId: string): RunId | undefined {
    const run = this.ids.get(inputId)
    this.ids.delete(inputId)
    return run
  }
}
