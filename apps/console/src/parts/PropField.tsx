import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import * as TimeSpan from "@headwater/domain/TimeSpan"
import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { hrefOf } from "../api/Address.ts"
import { get, type Page } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { useLoading } from "../api/Loading.ts"
import { names, useFreshNames } from "../resources/Directory.ts"
import * as Props from "../resources/Props.ts"
import { Copy } from "./Copy.tsx"
import { jsonFault } from "./FormDialog.tsx"
import { harmless } from "./Harmless.ts"

/** The properties of a prop's field, for all types. */
interface FieldProps {
  readonly prop: Props.Prop
  /** The present value; undefined if there is none. */
  readonly value: unknown
  /** The id of the element that people type into. */
  readonly id: string
  readonly describedBy: string
  readonly isInvalid: boolean
  /** `null` takes the value back. */
  readonly onChange: (value: unknown) => void
  /** Called with the reason that the typed text is not a valid value; with undefined once it is. */
  readonly onFault: (fault: string | undefined) => void
}

const attributes = ({ describedBy, id, isInvalid, prop }: FieldProps) => ({
  id,
  "aria-describedby": describedBy,
  "aria-invalid": isInvalid,
  disabled: Props.isFixed(prop)
})

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** The things whose ids a field offers, by their names. */
const Offered = ({ id, kinds }: { readonly id: string; readonly kinds: ReadonlyArray<unknown> }) => {
  useFreshNames()
  const known = [...names.value.values()].filter(({ kind }) => kinds.includes(kind))
  return (
    <datalist id={id}>
      {known.map(({ id, name }) => <option key={id} value={id}>{harmless(name)}</option>)}
    </datalist>
  )
}

const TextEntry = (field: FieldProps) => {
  const { onChange, prop, value } = field
  const isSecret = Props.isSecret(prop)
  const text = textOf(value)
  const common = {
    ...attributes(field),
    spellcheck: false,
    value: text,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      const given = event.currentTarget.value
      onChange(given === "" ? null : given)
    }
  }
  if (prop["isLong"] === true || text.includes("\n")) return <textarea {...common} rows={4} />
  const { kinds } = prop
  if (Array.isArray(kinds)) {
    const offer = `${common.id}-offered`
    return (
      <>
        <input {...common} type="text" list={offer} autocomplete="off" />
        <Offered id={offer} kinds={kinds} />
      </>
    )
  }
  return isSecret
    ? <input {...common} type="password" autocomplete="new-password" placeholder="hidden; type to replace it" />
    : <input {...common} type="text" />
}

const IntegerEntry = (field: FieldProps) => {
  const { onChange, onFault, prop, value } = field
  const { max, min } = prop
  return (
    <input
      {...attributes(field)}
      type="number"
      step={1}
      {...(typeof min === "number" ? { min } : {})}
      {...(typeof max === "number" ? { max } : {})}
      value={textOf(value)}
      onInput={({ currentTarget: { value: given, valueAsNumber } }) => {
        const isWhole = Number.isSafeInteger(valueAsNumber)
        onFault(given === "" || isWhole ? undefined : "Enter a whole number.")
        if (given === "") onChange(null)
        else if (isWhole) onChange(valueAsNumber)
      }}
    />
  )
}

/** A number of milliseconds, which people write with a unit. */
const DurationEntry = (field: FieldProps) => {
  const { onChange, onFault, prop, value } = field
  const text = useSignal(typeof value === "number" ? TimeSpan.textOf(value) : "")
  return (
    <input
      {...attributes(field)}
      type="text"
      spellcheck={false}
      placeholder="90s, 30m, 12h"
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value
        const given = text.value.trim()
        const ms = TimeSpan.msOrAmountOf(given)
        const isRight = given === "" || ms !== undefined
        onFault(isRight ? undefined : `${Props.labelOf(prop)}: enter ${TimeSpan.form}.`)
        if (isRight) onChange(ms ?? null)
      }}
    />
  )
}

/** A choice among values of any type, which are compared by their JSON. */
const Select = ({ field, options }: { readonly field: FieldProps; readonly options: ReadonlyArray<Props.Option> }) => {
  const { onChange, value } = field
  const chosen = value === undefined ? "" : JSON.stringify(value)
  const isKnown = options.some((option) => JSON.stringify(option.value) === chosen)
  return (
    <select
      {...attributes(field)}
      value={chosen}
      onChange={(event) => {
        const given = event.currentTarget.value
        onChange(given === "" ? null : JSON.parse(given))
      }}
    >
      <option value="">–</option>
      {chosen !== "" && !isKnown ? <option value={chosen}>{harmless(textOf(value))}</option> : null}
      {options.map((option) => {
        const json = JSON.stringify(option.value)
        return <option key={json} value={json}>{harmless(option.label)}</option>
      })}
    </select>
  )
}

const Checks = ({ field, options }: { readonly field: FieldProps; readonly options: ReadonlyArray<Props.Option> }) => {
  const { id, onChange, prop, value } = field
  const chosen = Array.isArray(value) ? value as ReadonlyArray<unknown> : []
  const isChosen = (option: Props.Option) => chosen.includes(option.value)
  const odd = chosen.filter((one) => !options.some((option) => option.value === one))
  return (
    <div class="checks" id={id} role="group" aria-label={harmless(Props.labelOf(prop))}>
      {[...options, ...odd.map((one) => ({ label: textOf(one), value: one }))].map((option) => (
        <label key={JSON.stringify(option.value)} class="check">
          <input
            type="checkbox"
            disabled={Props.isFixed(prop)}
            checked={isChosen(option)}
            onChange={() =>
              onChange(
                isChosen(option)
                  ? chosen.filter((one) =>
                    one !== option.value
                  )
                  : [...chosen, option.value]
              )}
          />
          <bdi>{harmless(option.label)}</bdi>
        </label>
      ))}
    </div>
  )
}

/** A list with one element on each line. */
const LinesEntry = (field: FieldProps & { readonly ofIntegers: boolean }) => {
  const { ofIntegers, onChange, onFault, prop, value } = field
  const text = useSignal(Array.isArray(value) ? value.map(textOf).join("\n") : "")
  return (
    <textarea
      {...attributes(field)}
      rows={3}
      spellcheck={false}
      placeholder="one per line"
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value
        const lines = text.value.split("\n").map((line) => line.trim()).filter((line) => line !== "")
        const numbers = lines.map(Number)
        const isRight = !ofIntegers || numbers.every(Number.isSafeInteger)
        onFault(isRight ? undefined : "Enter one whole number per line.")
        const none = prop["isOfApi"] === true ? [] : null
        if (isRight) onChange(lines.length === 0 ? none : ofIntegers ? numbers : lines)
      }}
    />
  )
}

const JsonEntry = (field: FieldProps) => {
  const { onChange, onFault, value } = field
  const text = useSignal(value === undefined ? "" : JSON.stringify(value, null, 2))
  return (
    <textarea
      {...attributes(field)}
      rows={Math.min(12, Math.max(3, text.value.split("\n").length))}
      spellcheck={false}
      placeholder="JSON"
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value
        const given = text.value.trim() === "" ? "null" : text.value
        const fault = jsonFault(given)
        onFault(fault)
        if (fault === undefined) onChange(JSON.parse(given))
      }}
    />
  )
}

interface TimerFields {
  readonly cron?: string | null
  readonly timezone?: string | null
  readonly interval_seconds?: number | null
  readonly intervalSeconds?: number | null
}

const TimerEntry = (field: FieldProps) => {
  const { describedBy, id, isInvalid, onChange, onFault, prop, value } = field
  const timer: TimerFields = typeof value === "object" && value !== null ? value : {}
  const isCron = useSignal((timer.cron ?? null) !== null)
  const seconds = useSignal(String(timer.intervalSeconds ?? timer.interval_seconds ?? ""))
  const cron = useSignal(timer.cron ?? "")
  const timezone = useSignal(timer.timezone ?? "UTC")
  const disabled = Props.isFixed(prop)
  const take = () => {
    const interval = Number(seconds.value)
    if (isCron.value) {
      onFault(cron.value.trim() === "" ? "Enter a cron expression." : undefined)
      if (cron.value.trim() !== "") onChange({ cron: cron.value.trim(), timezone: timezone.value.trim() || "UTC" })
    } else if (seconds.value === "") {
      onFault(undefined)
      onChange(null)
    } else {
      onFault(Number.isSafeInteger(interval) ? undefined : "Enter a whole number of seconds.")
      if (Number.isSafeInteger(interval)) onChange({ intervalSeconds: interval })
    }
  }
  return (
    <div class="timer" role="group" aria-labelledby={`${id}-label`} aria-describedby={describedBy}>
      <select
        id={id}
        aria-label="Schedule by"
        disabled={disabled}
        value={isCron.value ? "cron" : "interval"}
        onChange={(event) => {
          isCron.value = event.currentTarget.value === "cron"
          take()
        }}
      >
        <option value="interval">every</option>
        <option value="cron">by cron</option>
      </select>
      {isCron.value
        ? (
          <>
            <input
              type="text"
              aria-label="Cron expression"
              aria-invalid={isInvalid}
              disabled={disabled}
              spellcheck={false}
              placeholder="0 9 * * 1-5"
              value={cron.value}
              onInput={(event) => {
                cron.value = event.currentTarget.value
                take()
              }}
            />
            <input
              type="text"
              aria-label="Time zone"
              disabled={disabled}
              spellcheck={false}
              placeholder="UTC"
              value={timezone.value}
              onInput={(event) => {
                timezone.value = event.currentTarget.value
                take()
              }}
            />
          </>
        )
        : (
          <>
            <input
              type="number"
              aria-label="Seconds"
              aria-invalid={isInvalid}
              disabled={disabled}
              min={1}
              max={31_622_400}
              value={seconds.value}
              onInput={(event) => {
                seconds.value = event.currentTarget.value
                take()
              }}
            />
            <span>seconds</span>
          </>
        )}
    </div>
  )
}

const maxAccounts = 100

const AppEntry = (field: FieldProps) => {
  const app = textOf(field.prop["app"])
  const accounts = useLoading(
    "accounts",
    async (signal) =>
      (await get<Page<AppAccountResource>>(["accounts"], { query: { limit: maxAccounts }, signal })).data
  )
  const loaded = accounts.loaded.value
  if (loaded.state === "loading") return <p class="note">Loading the accounts …</p>
  if (loaded.state === "failed") {
    return (
      <p class="fault">
        The accounts could not be loaded: {loaded.failure.message}{" "}
        <button type="button" class="bare" onClick={() => void accounts.reload()}>Try again</button>
      </p>
    )
  }
  const options = loaded.value.filter((account) => account.app === app).map(({ id, name }) => ({
    label: name === "" ? id : name,
    value: { authProvisionId: id }
  }))
  return (
    <>
      <Select field={field} options={options} />
      {options.length > 0 ? null : (
        <p class="note">
          There is no account with {app === "" ? "it" : harmless(app)} yet:{" "}
          <a href={hrefOf(["accounts"], { do: "new" })}>add one</a>.
        </p>
      )}
    </>
  )
}

type Offer =
  | { readonly state: "none" }
  | { readonly state: "asking"; readonly options: ReadonlyArray<Props.Option> }
  | { readonly state: "failed"; readonly failure: Failure }
  | {
    readonly state: "offered"
    readonly options: ReadonlyArray<Props.Option>
    readonly page: number
    readonly context: unknown
  }

/** A choice among values that the component's code offers, instead of typing. */
const RemoteChoice = ({ ask, field }: {
  readonly field: FieldProps
  readonly ask: (page: number, context: unknown, query: string) => Promise<Props.RemoteOptions>
}) => {
  const { id, prop } = field
  const offer = useSignal<Offer>({ state: "none" })
  const query = useSignal("")
  const look = async (page: number, context: unknown, before: ReadonlyArray<Props.Option>) => {
    if (offer.value.state === "asking") return
    offer.value = { state: "asking", options: before }
    try {
      const found = await ask(page, context, query.value)
      offer.value = { state: "offered", options: [...before, ...found.options], page, context: found.context }
    } catch (error) {
      offer.value = { state: "failed", failure: failureOf(error) }
    }
  }
  const current = offer.value
  const isList = prop.type.endsWith("[]")
  return (
    <div class="remote">
      {prop["useQuery"] === true
        ? (
          <input
            type="search"
            aria-label={`Look for values of ${Props.labelOf(prop)}`}
            placeholder="look for"
            value={query.value}
            onInput={(event) => {
              query.value = event.currentTarget.value
            }}
          />
        )
        : null}
      <button
        type="button"
        class="quiet"
        disabled={current.state === "asking"}
        onClick={() => void look(0, undefined, [])}
      >
        {current.state === "asking" ? "Asking the code …" : "Load the choices"}
      </button>
      {current.state === "failed" ? <p class="fault" role="alert">{harmless(current.failure.message)}</p> : null}
      {current.state !== "offered" ? null : current.options.length === 0
        ? <p class="note" role="status">The code offers no choices.</p>
        : isList
        ? <Checks field={{ ...field, id: `${id}-offer` }} options={current.options} />
        : (
          <label class="field">
            <span class="visually-hidden">Values of {Props.labelOf(prop)}</span>
            <Select field={{ ...field, id: `${id}-offer` }} options={current.options} />
          </label>
        )}
      {current.state === "offered" && current.context !== undefined && current.options.length > 0
        ? (
          <button
            type="button"
            class="quiet"
            onClick={() => void look(current.page + 1, current.context, current.options)}
          >
            More
          </button>
        )
        : null}
    </div>
  )
}

const EntryOf = (field: FieldProps) => {
  const { prop } = field
  switch (Props.entryOf(prop)) {
    case "choice":
      return <Select field={field} options={Props.optionsOf(prop["options"])} />
    case "choices":
      return <Checks field={field} options={Props.optionsOf(prop["options"])} />
    case "boolean":
      return <Select field={field} options={[{ label: "yes", value: true }, { label: "no", value: false }]} />
    case "integer":
      return <IntegerEntry {...field} />
    case "duration":
      return <DurationEntry {...field} />
    case "texts":
      return <LinesEntry {...field} ofIntegers={false} />
    case "integers":
      return <LinesEntry {...field} ofIntegers />
    case "timer":
      return <TimerEntry {...field} />
    case "app":
      return <AppEntry {...field} />
    case "json":
      return <JsonEntry {...field} />
    default:
      return <TextEntry {...field} />
  }
}

/** The URL at which a source or workflow answers. */
export const Endpoint = ({ url, what = "URL" }: { readonly url: string; readonly what?: string }) => (
  <span class="endpoint">
    <code>
      <bdi>{harmless(url)}</bdi>
    </code>{" "}
    <Copy text={() => url} what={what} />
  </span>
)

const notesOf = (prop: Props.Prop): ReadonlyArray<string> => [
  ...(prop.description === undefined ? [] : [harmless(prop.description)]),
  ...(prop.label === undefined || prop.label === prop.name || prop["isOfApi"] === true
    ? []
    : [`In the code: ${harmless(prop.name)}.`]),
  ...(Props.isOptional(prop) ? ["Optional."] : [])
]

/** One prop, to be filled in as its type asks for. */
export const PropField = ({ ask, fault, onChange, onFault, prop, value }: {
  readonly prop: Props.Prop
  readonly value: unknown
  /** The fault of the value; undefined if it has none. */
  readonly fault: string | undefined
  readonly onChange: (value: unknown) => void
  readonly onFault: (fault: string | undefined) => void
  /** Asks the code for the prop's possible values; undefined if there is no code to ask. */
  readonly ask: ((page: number, context: unknown, query: string) => Promise<Props.RemoteOptions>) | undefined
}) => {
  const id = useId()
  const entry = Props.entryOf(prop)
  const label = Props.labelOf(prop)
  if (entry === "nothing" || prop["hidden"] === true) return null
  if (entry === "note") {
    return <p class={`alert is-${textOf(prop["alertType"])}`}>{harmless(textOf(prop["content"]))}</p>
  }
  if (entry === "endpoint") {
    // The page shows an existing endpoint above all props.
    return Props.isEndpoint(value) ? null : (
      <div class="prop">
        <span class="prop-label">{harmless(label)}</span>
        <span class="note">It gets a URL that accepts requests.</span>
      </div>
    )
  }
  const describedBy = `${id}-note`
  const isGroup = entry === "choices"
  const field: FieldProps = { prop, value, id, describedBy, isInvalid: fault !== undefined, onChange, onFault }
  return (
    <div class="prop">
      {isGroup
        ? <span class="prop-label">{harmless(label)}</span>
        : <label class="prop-label" id={`${id}-label`} for={id}>{harmless(label)}</label>}
      <EntryOf {...field} />
      {ask !== undefined && Props.hasRemoteOptions(prop) ? <RemoteChoice field={field} ask={ask} /> : null}
      <p id={describedBy} class={fault === undefined ? "note" : "fault"}>
        {fault === undefined ? null : <span role="alert">{harmless(fault)}{" "}</span>}
        <span class="note">{notesOf(prop).join(" ")}</span>
      </p>
    </div>
  )
}
