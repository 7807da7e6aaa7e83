import { type Signal, useSignal } from "@preact/signals"
import { address } from "../api/Address.ts"
import * as Trials from "../resources/Trials.ts"
import { jsonFault } from "./FormDialog.tsx"
import { StoredInputChoice } from "./StoredInputChoice.tsx"
import { Tabs } from "./Tabs.tsx"

/** The last event with which each program's code was tried, by the program's id. */
const given = new Map<string, string>()

const names: Readonly<Record<Trials.Trigger, string>> = {
  http: "a request",
  timer: "a timer tick",
  event: "an event",
  deploy: "its deploy hook",
  activate: "its activate hook",
  deactivate: "its deactivate hook"
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

/** Says over which sample code is run, and has it run or checked. */
export const TrialForm = ({ mayRun, onCheck, onRun, subject, underWay }: {
  readonly subject: Trials.Subject
  /** True if the key may run this code. */
  readonly mayRun: boolean
  readonly underWay: "check" | "run" | undefined
  readonly onCheck: () => void
  readonly onRun: (sample: Trials.Sample) => void
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
    fault.value = undefined
    given.set(id, event.value)
    onRun(sample)
  }

  const check = () => {
    fault.value = undefined
    onCheck()
  }

  return (
    <form class="props" onSubmit={run}>
      <Tabs
        label="Input"
        chosen={source.value}
        choices={[["sample", "Sample"], ["log", "Stored event"]]}
        onChoose={(chosen) => {
          source.value = chosen
        }}
      />
      {source.value === "sample"
        ? (
          <>
            <StoredInputChoice
              subject={subject}
              onTake={(input, taken) => {
                trigger.value = input.trigger
                event.value = JSON.stringify(taken, null, 2)
              }}
            />
            <label class="prop">
              <span class="prop-label">Run it with</span>
              <select
                value={trigger.value}
                onChange={({ currentTarget }) => {
                  trigger.value = currentTarget.value
                }}
              >
                <option value="">what its props suggest</option>
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
                For a request: its body, or the whole request with method, path, query, headers and body.
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
        <span>Send its HTTP requests for real</span>
      </label>
      {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
      <div class="bar">
        <button type="submit" disabled={underWay !== undefined || !mayRun}>
          {underWay === "run" ? "Running …" : "Run once"}
        </button>
        <button type="button" disabled={underWay !== undefined} onClick={check}>
          {underWay === "check" ? "Checking …" : "Check"}
        </button>
        <span class="note">
          {mayRun
            ? "It runs with its props and a copy of its store. Nothing is emitted, stored or delivered."
            : "Your key can only run the deployed code."}
        </span>
      </div>
    </form>
  )
}
