import { type Signal, useSignal } from "@preact/signals"
import { address } from "../api/Address.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { may } from "../api/Session.ts"
import { placeOf } from "../code/CodePlace.ts"
import * as Trials from "../resources/Trials.ts"
import { CheckedCode } from "./CheckedCode.tsx"
import type { Remark } from "./CodeEditor.tsx"
import { Failed } from "./Failed.tsx"
import { jsonFault } from "./FormDialog.tsx"
import { harmless } from "./Harmless.ts"
import { Tabs } from "./Tabs.tsx"
import { TrialView } from "./TrialView.tsx"

/** The last event with which each program's code was tried, by the program's id. */
const given = new Map<string, string>()

const names: Readonly<Record<Trials.Trigger, string>> = {
  http: "a request",
  timer: "a tick of its timer",
  event: "an event",
  deploy: "its deploy hook",
  activate: "its activate hook",
  deactivate: "its deactivate hook"
}

type Result =
  | { readonly _tag: "Checked"; readonly checked: Trials.CheckedCode }
  | { readonly _tag: "Tried"; readonly trial: Trials.TrialResult }
  | { readonly _tag: "Failed"; readonly what: string; readonly failure: Failure }

/** A message as a remark on the place in the code that it names; undefined if it names none. */
const remarkOf = (said: { readonly message: string } | null | undefined): Remark | undefined => {
  const place = placeOf(said)
  return place === undefined ? undefined : { place, message: harmless(said!.message) }
}

const TextField = ({ label, placeholder, text }: {
  readonly label: string
  readonly placeholder: string
  readonly text: Signal<string>
}) => (
  <label class="prop">
    <span class="prop-label">{label}</span>
    <input
      type="text"
      required
      placeholder={placeholder}
      value={text.value}
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value
      }}
    />
  </label>
)

/** Checks code, and runs it once without keeping any effects. */
export const CodeTrial = ({ code, isDeployed, onRemark, subject }: {
  readonly subject: Trials.Subject
  readonly code: string
  /** True if this code is deployed. */
  readonly isDeployed: boolean
  /** Called with a remark on a place in the code, or undefined if all is well. */
  readonly onRemark: (remark: Remark | undefined) => void
}) => {
  const { id, kind } = subject
  const { query } = address.value
  const asked = query.get("event")
  const source = useSignal<"sample" | "log">(asked === null ? "sample" : "log")
  const trigger = useSignal("")
  const event = useSignal(given.get(id) ?? "{\n  \"order\": 1001\n}")
  const emitter = useSignal(query.get("emitter") ?? "")
  const eventId = useSignal(asked ?? "")
  const sends = useSignal(true)
  const fault = useSignal<string | undefined>(undefined)
  const result = useSignal<Result | undefined>(undefined)
  const underWay = useSignal<"check" | "run" | undefined>(undefined)
  if (!may("run")) return null

  const during = async (what: "check" | "run", act: () => Promise<Result>) => {
    if (underWay.value !== undefined) return
    underWay.value = what
    fault.value = undefined
    onRemark(undefined)
    try {
      result.value = await act()
    } catch (error) {
      const failure = failureOf(error)
      result.value = {
        _tag: "Failed",
        what: what === "check" ? "It was not checked." : "It was not run.",
        failure
      }
      if (failure.place !== undefined) onRemark({ place: failure.place, message: harmless(failure.message) })
    } finally {
      underWay.value = undefined
    }
  }

  const check = () =>
    during("check", async () => {
      const checked = await Trials.check(subject, code)
      onRemark(remarkOf(checked.errors[0]))
      return { _tag: "Checked", checked }
    })

  const sampleOf = (): Trials.Sample | undefined => {
    const requests = sends.value ? "send" : "refuse"
    if (source.value === "log") {
      return { emitter_id: emitter.value.trim(), event_id: eventId.value.trim(), requests }
    }
    const chosen = Trials.triggers.find((one) => one === trigger.value)
    const start = chosen === undefined ? { requests } as const : { trigger: chosen, requests } as const
    if (event.value.trim() === "") return start
    fault.value = jsonFault(event.value)
    return fault.value === undefined ? { ...start, event: JSON.parse(event.value) } : undefined
  }

  const run = (submitted: Event) => {
    submitted.preventDefault()
    const sample = sampleOf()
    if (sample === undefined) return
    given.set(id, event.value)
    void during("run", async () => {
      const trial = await Trials.attempt(subject, isDeployed ? undefined : code, sample)
      onRemark(remarkOf(trial.error))
      return { _tag: "Tried", trial }
    })
  }

  const mayRun = isDeployed || Trials.mayTryChanged()
  const found = result.value
  return (
    <section class="block code-trial" aria-label="Try the code">
      <h2>Try it</h2>
      <div class="code-trial-parts">
        <form class="props" onSubmit={run}>
          <Tabs
            label="What it runs over"
            chosen={source.value}
            choices={[["sample", "A sample"], ["log", "An event of a log"]]}
            onChoose={(chosen) => {
              source.value = chosen
            }}
          />
          {source.value === "sample"
            ? (
              <>
                <label class="prop">
                  <span class="prop-label">Run it for</span>
                  <select
                    value={trigger.value}
                    onChange={({ currentTarget }) => {
                      trigger.value = currentTarget.value
                    }}
                  >
                    <option value="">what fits its props</option>
                    {Trials.triggers.slice(0, kind === "source" ? undefined : 3).map((one) => (
                      <option key={one} value={one}>{names[one]}</option>
                    ))}
                  </select>
                </label>
                <label class="prop">
                  <span class="prop-label">Event, as JSON</span>
                  <textarea
                    rows={5}
                    spellcheck={false}
                    aria-invalid={fault.value !== undefined}
                    value={event.value}
                    onInput={({ currentTarget }) => {
                      event.value = currentTarget.value
                    }}
                  />
                  <span class="note">
                    For a request it is the body, or the request itself: method, path, query, headers, body.
                  </span>
                </label>
              </>
            )
            : (
              <>
                <TextField label="Emitter" placeholder="id or slug" text={emitter} />
                <TextField label="Event" placeholder="1760000120000-0" text={eventId} />
              </>
            )}
          <label class="check">
            <input
              type="checkbox"
              checked={sends.value}
              onChange={({ currentTarget }) => {
                sends.value = currentTarget.checked
              }}
            />
            <span>Make its requests: what it asks of others is really asked</span>
          </label>
          {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
          <div class="bar">
            <button type="submit" disabled={underWay.value !== undefined || !mayRun}>
              {underWay.value === "run" ? "Running …" : "Run once"}
            </button>
            <button type="button" disabled={underWay.value !== undefined} onClick={() => void check()}>
              {underWay.value === "check" ? "Checking …" : "Check"}
            </button>
            <span class="note">
              {mayRun
                ? "It sees its props and a copy of its store. No event, no change and no delivery comes of it."
                : "Only the deployed code may be run with this key."}
            </span>
          </div>
        </form>
        <div class="code-trial-result">
          {found === undefined
            ? <p class="note">What it would do is shown here.</p>
            : found._tag === "Failed"
            ? <Failed what={found.what} failure={found.failure} />
            : found._tag === "Checked"
            ? <CheckedCode checked={found.checked} />
            : <TrialView trial={found.trial} />}
        </div>
      </div>
    </section>
  )
}
