import { useSignal } from "@preact/signals"
import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { count, counted, humanSeconds } from "../charts/Figures.ts"
import { Act } from "../parts/Act.tsx"
import { StateBadge } from "../parts/Badge.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Name } from "../parts/Name.tsx"
import { Progress } from "../parts/Progress.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import { actions, type BulkActionResource, control, hasEnded, ofRuns, one, setRate } from "../resources/BulkActions.ts"
import * as Directory from "../resources/Directory.ts"
import type { Params } from "../routes.ts"

const pollMs = 1_000

/** The fields of the filter whose values are ids of named things. */
const isNamed: ReadonlySet<string> = new Set(["emitter_id", "program_id", "webhook_id"])

/** The fields of the filter whose names in the API a reader may not know. */
const words: Readonly<Record<string, string>> = {
  emitter_id: "emitter",
  error_class: "error",
  event_id: "event",
  event_name: "stream",
  last_attempt_since: "last tried from",
  program_id: "program",
  since: "started from",
  subscription_id: "subscription",
  text: "contains",
  until: "started before",
  webhook_id: "webhook"
}

const RateForm = ({ onChange, run }: { readonly run: BulkActionResource; readonly onChange: () => void }) => {
  const rate = useSignal(run.rate_limit)
  return (
    <div class="inline">
      <label class="field rate">
        <span>{ofRuns.includes(run.action) ? "Runs" : "Attempts"} per second, at most</span>
        <input
          type="number"
          min={1}
          max={10_000}
          value={rate.value}
          onInput={(event) => {
            rate.value = event.currentTarget.valueAsNumber
          }}
        />
      </label>
      <Act
        needs="run"
        done="The rate applies within a second."
        act={async () => {
          await setRate(run.id, rate.value)
          onChange()
        }}
      >
        Set
      </Act>
    </div>
  )
}

const Details = ({ onChange, run }: { readonly run: BulkActionResource; readonly onChange: () => void }) => {
  const act = (how: "pause" | "resume" | "cancel") => async () => {
    await control(run.id, how)
    onChange()
  }
  const filter = Object.entries(run.filter as Readonly<Record<string, unknown>>)
  const isOfRuns = ofRuns.includes(run.action)
  const isPaced = isOfRuns || run.action === "retry" || run.action === "replay"
  const owners = isOfRuns ? run.programs : run.webhooks
  return (
    <>
      <div class="page-head">
        <h1>{run.dry_run ? `Count for ${run.action}` : actions[run.action].verb}</h1>
        <StateBadge state={run.state} />
        <span class="grow" />
        {run.state === "running" ? <Act needs="run" act={act("pause")}>Pause</Act> : null}
        {run.state === "paused" ? <Act needs="run" kind="main" act={act("resume")}>Resume</Act> : null}
        {hasEnded(run) ?
          null :
          (
            <Act
              needs="run"
              kind="danger"
              ask="It starts nothing more. What it has done stays done."
              act={act("cancel")}
            >
              Cancel
            </Act>
          )}
      </div>
      <section aria-label="Progress" class="bulk-progress">
        <Progress run={run} />
        <dl class="figures">
          <div>
            <dt>found</dt>
            <dd>{count(run.matched)}</dd>
          </div>
          <div>
            <dt>done</dt>
            <dd>{count(run.done)}</dd>
          </div>
          <div>
            <dt>failed</dt>
            <dd class={run.failed > 0 ? "fault" : ""}>{count(run.failed)}</dd>
          </div>
          <div>
            <dt>skipped</dt>
            <dd>{count(run.skipped)}</dd>
          </div>
          <div>
            <dt>left</dt>
            <dd>{count(run.left)}</dd>
          </div>
        </dl>
      </section>
      <dl class="facts">
        <dt>Applies to</dt>
        <dd>
          {filter.length === 0 ?
            `all ${isOfRuns ? "runs" : "deliveries"} of the account` :
            filter.map(([name, value]) => (
              <div key={name}>
                <span class="note">{words[name] ?? name}</span> {typeof value === "number"
                  ? <Time ms={value} />
                  : isNamed.has(name)
                  ? <Name id={String(value)} />
                  : harmless(String(value))}
              </div>
            ))}
        </dd>
        <dt>Affects</dt>
        <dd>
          {isOfRuns
            ? counted(owners.total, "source or workflow", "sources and workflows")
            : counted(owners.total, "webhook")}
          {hasEnded(run) ? "" : `, of which ${count(owners.ended)} ${owners.ended === 1 ? "is" : "are"} done`}
        </dd>
        {run.rerun === undefined ? null : (
          <>
            <dt>Runs</dt>
            <dd>
              from {run.rerun.from === "failed_step" ? "the step that failed" : "the start"}, on{" "}
              {run.rerun.code === "own" ? "the code each run had" : "the current code"}
            </dd>
          </>
        )}
        {run.waits_at.length === 0 ? null : (
          <>
            <dt>Waits for</dt>
            <dd>
              {run.waits_at.map((id) => (
                <div key={id}>
                  <Name id={id} />, which is paused
                </div>
              ))}
            </dd>
          </>
        )}
        {run.stopped_at.length === 0 ? null : (
          <>
            <dt>Skipped at</dt>
            <dd>
              {run.stopped_at.map(({ id, reason }) => (
                <div key={id}>
                  <Name id={id} />, which is switched off ({reason})
                </div>
              ))}
            </dd>
          </>
        )}
        <dt>Started</dt>
        <dd>
          <Time ms={run.created_at_ms} />
        </dd>
        <dt>Ended</dt>
        <dd>
          {run.ended_at_ms === null
            ? "not yet"
            : (
              <>
                <Time ms={run.ended_at_ms} />, after {humanSeconds((run.ended_at_ms - run.created_at_ms) / 1_000)}
              </>
            )}
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{run.id}</code>
        </dd>
      </dl>
      {hasEnded(run) || !isPaced ? null : <RateForm run={run} onChange={onChange} />}
      <p>
        <a href={hrefOf(["bulk-actions"])}>All bulk actions</a>
      </p>
    </>
  )
}

/** The progress of a bulk action. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["action"]!
  const run = useLoading(id, (signal) => one(id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page">
      <Shown loading={run} what="the bulk action">
        {(found) => <Details run={found} onChange={() => void run.reload()} />}
      </Shown>
    </div>
  )
}
