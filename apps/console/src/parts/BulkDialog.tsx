import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { hrefOf, visit } from "../api/Address.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { counted } from "../charts/Figures.ts"
import {
  type Action,
  actions,
  begin,
  type BulkActionResource,
  hasEnded,
  ofDeliveries,
  one
} from "../resources/BulkActions.ts"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"

const pollMs = 300

type Rerun = Required<NonNullable<BulkActionResource["rerun"]>>

const nouns = { deliveries: { one: "delivery", many: "deliveries" }, runs: { one: "run", many: "runs" } } as const

const defaultRate = 100
const maxRate = 10_000

type Counting =
  | { readonly state: "counting"; readonly soFar: number }
  | { readonly state: "counted"; readonly matched: number }
  | { readonly state: "failed"; readonly failure: Failure }

const rerunOf = (action: Action, rerun: Rerun): { readonly rerun?: Rerun } => action === "rerun" ? { rerun } : {}

/** Counts the deliveries or runs of a bulk action by a dry run. A later count replaces an earlier one. */
const useCount = (action: Action, filter: Readonly<Record<string, string | number>>) => {
  const counting = useSignal<Counting>({ state: "counting", soFar: 0 })
  const turn = useRef(0)
  const count = async () => {
    const own = ++turn.current
    const isCurrent = () => own === turn.current
    counting.value = { state: "counting", soFar: 0 }
    try {
      let run: BulkActionResource = await begin(action, filter, { dry_run: true })
      while (isCurrent() && !hasEnded(run)) {
        counting.value = { state: "counting", soFar: run.matched }
        await new Promise((resolve) => setTimeout(resolve, pollMs))
        run = await one(run.id)
      }
      if (isCurrent()) counting.value = { state: "counted", matched: run.matched }
    } catch (error) {
      if (isCurrent()) counting.value = { state: "failed", failure: failureOf(error) }
    }
  }
  useEffect(() => {
    void count()
    return () => {
      turn.current += 1
    }
  }, [action])
  return { counting: counting.value, count }
}

/** Asks from where runs are run again, and on which code. */
const RerunChoice = ({ onChange, rerun }: { readonly rerun: Rerun; readonly onChange: (rerun: Rerun) => void }) => (
  <div class="inline">
    <label class="field">
      <span>From</span>
      <select
        value={rerun.from}
        onChange={({ currentTarget }) => onChange({ ...rerun, from: currentTarget.value as Rerun["from"] })}
      >
        <option value="start">the start</option>
        <option value="failed_step">the step that failed</option>
      </select>
    </label>
    <label class="field">
      <span>On</span>
      <select
        value={rerun.code}
        onChange={({ currentTarget }) => onChange({ ...rerun, code: currentTarget.value as Rerun["code"] })}
      >
        <option value="current">the current code</option>
        <option value="own">the code each run had</option>
      </select>
    </label>
  </div>
)

/** Asks for an action on all deliveries or runs that match a filter, shows their number, and begins the action. */
export const BulkDialog = ({ choices = ofDeliveries, filter, meant, of = "deliveries", onClose }: {
  readonly of?: keyof typeof nouns
  readonly choices?: ReadonlyArray<Action>
  readonly filter: Readonly<Record<string, string | number>>
  /** The filter in words. */
  readonly meant: string
  readonly onClose: () => void
}) => {
  const action = useSignal<Action>(choices[0]!)
  const rerun = useSignal<Rerun>({ from: "start", code: "current" })
  const { many, one: noun } = nouns[of]
  const rate = useSignal(defaultRate)
  const failure = useSignal<Failure | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const { count, counting } = useCount(action.value, filter)

  const start = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay.value) return
    isUnderWay.value = true
    failure.value = undefined
    try {
      const begun = await begin(action.value, filter, {
        rate_limit: rate.value,
        ...rerunOf(action.value, rerun.value)
      })
      onClose()
      visit(hrefOf(["bulk-actions", begun.id]))
    } catch (error) {
      failure.value = failureOf(error)
      isUnderWay.value = false
    }
  }

  return (
    <Dialog title="Act on all that match" onClose={onClose}>
      <p>{meant}</p>
      <form onSubmit={(event) => void start(event)}>
        <fieldset class="choices">
          <legend class="visually-hidden">Action</legend>
          {choices.map((name) => (
            <label key={name} class="choice-row">
              <input
                type="radio"
                name="action"
                checked={action.value === name}
                onChange={() => {
                  action.value = name
                }}
              />
              <span>
                <b>{actions[name].verb}</b> <span class="note">{actions[name].meaning}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {action.value === "rerun" ? <RerunChoice rerun={rerun.value} onChange={(next) => rerun.value = next} /> : null}
        {action.value === "retry" || action.value === "replay" || of === "runs"
          ? (
            <label class="field rate">
              <span>
                {of === "runs" ? "Most runs per second of each program" : "Most attempts per second at each webhook"}
              </span>
              <input
                type="number"
                min={1}
                max={maxRate}
                value={rate.value}
                onInput={(event) => {
                  const { valueAsNumber } = event.currentTarget
                  if (Number.isInteger(valueAsNumber)) rate.value = valueAsNumber
                }}
              />
            </label>
          )
          : null}
        {counting.state === "failed"
          ? <Failed what="Could not count them." failure={counting.failure} onRetry={() => void count()} />
          : (
            <p role="status" class="counted">
              {counting.state === "counting"
                ? `Counting … ${counted(counting.soFar, noun, many)} so far`
                : counting.matched === 0
                ? "Nothing matches now."
                : `${counted(counting.matched, `${noun} matches`, `${many} match`)} now.`}
            </p>
          )}
        {failure.value === undefined ? null : <Failed what="It was not started." failure={failure.value} />}
        <div class="dialog-acts">
          <button type="button" class="quiet" onClick={onClose}>Go back</button>
          <button
            type="submit"
            class="main"
            disabled={isUnderWay.value || counting.state !== "counted" || counting.matched === 0}
          >
            {actions[action.value].verb}
            {counting.state === "counted" ? ` ${counted(counting.matched, noun, many)}` : ""}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
