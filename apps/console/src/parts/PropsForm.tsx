import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { type Failure, failureOf, type Issue } from "../api/Failure.ts"
import * as Props from "../resources/Props.ts"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"
import { PropField } from "./PropField.tsx"

/** The pause after a change of a prop, in milliseconds, before the props that depend on it are asked for again. */
const restMs = 500

/** The code's props for the values so far. They can be more than the code declares. */
const useDeclared = (
  component: string | undefined,
  known: ReadonlyArray<Props.Prop>,
  values: () => Props.Values
) => {
  const props = useSignal(known)
  const failure = useSignal<Failure | undefined>(undefined)
  const abort = useRef<AbortController | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const ask = async () => {
    if (component === undefined) return
    abort.current?.abort()
    const { signal } = abort.current = new AbortController()
    try {
      const found = await Props.declared(component, values(), signal)
      if (signal.aborted) return
      props.value = found
      failure.value = undefined
    } catch (error) {
      if (!signal.aborted) failure.value = failureOf(error)
    }
  }
  useEffect(() => {
    void ask()
    return () => {
      clearTimeout(timer.current)
      abort.current?.abort()
    }
  }, [component])
  const askSoon = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void ask(), restMs)
  }
  return { props: props.value, failure: failure.value, ask, askSoon }
}

/** The prop that the server remarks on, and the remark; none if it is about something else. */
const remarkOf = ({ message, path }: Issue, props: ReadonlyArray<Props.Prop>, prefix: string) => {
  if (!path.startsWith(prefix)) return []
  const own = path.slice(prefix.length)
  const exact = props.find(({ name }) => name === own)
  if (exact !== undefined) return [{ name: exact.name, message }]
  const around = props.find(({ name }) => own.startsWith(`${name}.`))
  return around === undefined
    ? []
    : [{ name: around.name, message: `${own.slice(around.name.length + 1)}: ${message}` }]
}

const Unasked = ({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) => (
  <div class="stale" role="status">
    <span>The code did not say which props it has for these values: {harmless(failure.message)}</span>
    <button type="button" class="quiet" onClick={onRetry}>Ask again</button>
  </div>
)

interface PropsFormProps {
  /** The component whose code can be asked about the props; undefined if there is none. */
  readonly component: string | undefined
  readonly declared: ReadonlyArray<Props.Prop>
  /** The program's present values. */
  readonly current: Props.Values
  /** The names of the props in the form; undefined for all. */
  readonly only?: ReadonlySet<string>
  /** True if the form can be sent without a change. */
  readonly isNew?: boolean
  readonly submitName: string
  readonly doing: string
  /** The notice of success; none if the page itself shows it. */
  readonly done?: string
  readonly submit: (changes: Props.Values) => Promise<void>
  /** Further fields, above the props. */
  readonly children?: ComponentChildren
  /** The names of the props that are shown on demand, under all others. */
  readonly folded?: ReadonlySet<string>
  /** The text before the name of a prop where the server's remarks name it. */
  readonly issuePrefix?: string
  /** Closes the dialog of the form, if it is in one. */
  readonly onClose?: () => void
  /** Stands below the fields: what comes of the changes so far. */
  readonly below?: (changes: Props.Values) => ComponentChildren
}

/** A form that changes the values of props and sends them. */
export const PropsForm = (
  {
    below,
    children,
    component,
    current,
    declared,
    done,
    doing,
    folded,
    isNew = false,
    issuePrefix = "configured_props.",
    onClose,
    only,
    submit,
    submitName
  }: PropsFormProps
) => {
  const changes = useSignal<Props.Values>({})
  const faults = useSignal<Readonly<Record<string, string>>>({})
  const failure = useSignal<Failure | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const round = useSignal(0)
  const form = useRef<HTMLFormElement>(null)
  const values = () => Props.chosen(current, changes.peek())
  const { ask, askSoon, failure: unasked, props } = useDeclared(component, declared, values)

  const setFault = (name: string, fault: string | undefined) => {
    const { [name]: _, ...others } = faults.peek()
    faults.value = fault === undefined ? others : { ...others, [name]: fault }
  }
  const change = (prop: Props.Prop, value: unknown) => {
    setFault(prop.name, undefined)
    changes.value = { ...changes.peek(), [prop.name]: value }
    if (prop["reloadProps"] === true) askSoon()
  }
  const reset = () => {
    changes.value = {}
    faults.value = {}
    failure.value = undefined
    round.value += 1
    void ask()
  }
  const showFirstFault = () =>
    requestAnimationFrame(() => {
      const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]")
      const fold = field?.closest("details")
      if (fold) fold.open = true
      field?.focus()
    })

  const send = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay.value) return
    if (Object.keys(faults.value).length > 0) {
      showFirstFault()
      return
    }
    isUnderWay.value = true
    failure.value = undefined
    try {
      await submit(changes.value)
      if (done !== undefined) tell("done", done)
      changes.value = {}
      round.value += 1
    } catch (error) {
      const refused = failureOf(error)
      const own = refused.issues.flatMap((issue) => remarkOf(issue, props, issuePrefix))
      for (const { message, name } of own) setFault(name, message)
      if (own.length === 0 || own.length < refused.issues.length) failure.value = refused
      else showFirstFault()
    } finally {
      isUnderWay.value = false
    }
  }

  const isChanged = Object.keys(changes.value).length > 0 || Object.keys(faults.value).length > 0
  const asked = only === undefined ? props : props.filter(({ name }) => only.has(name))
  const fieldOf = (prop: Props.Prop) => (
    <PropField
      key={`${prop.name} ${prop.type} ${round.value}`}
      prop={prop}
      value={Props.valueOf(prop, current, changes.value)}
      fault={Object.hasOwn(faults.value, prop.name) ? faults.value[prop.name] : undefined}
      onChange={(value) => change(prop, value)}
      onFault={(fault) => setFault(prop.name, fault)}
      ask={component === undefined ?
        undefined :
        (page, context, query) => Props.remoteOptions(component, prop.name, { values: values(), page, context, query })}
    />
  )
  return (
    <form ref={form} class="props" onSubmit={(event) => void send(event)}>
      {children}
      {unasked === undefined ? null : <Unasked failure={unasked} onRetry={() => void ask()} />}
      {asked.filter(({ name }) => folded?.has(name) !== true).map(fieldOf)}
      {below?.(changes.value)}
      {folded === undefined ? null : (
        <details class="more">
          <summary>More settings</summary>
          <div class="props">{asked.filter(({ name }) => folded.has(name)).map(fieldOf)}</div>
        </details>
      )}
      {failure.value === undefined ? null : <Failed what="It was not accepted." failure={failure.value} />}
      <div class="bar">
        {isNew || asked.some((prop) => Props.takesValue(prop) && !Props.isFixed(prop))
          ? (
            <button type="submit" class="main" disabled={isUnderWay.value || (!isNew && !isChanged)}>
              {isUnderWay.value ? doing : submitName}
            </button>
          )
          : asked.length === 0
          ? <p class="note">The code has no props.</p>
          : null}
        {isChanged ? <button type="button" class="quiet" onClick={reset}>Undo the changes</button> : null}
        {onClose === undefined ? null : (
          <>
            <span class="grow" />
            <button type="button" class="quiet" onClick={onClose}>Close</button>
          </>
        )}
      </div>
    </form>
  )
}

/** The values of props, read only. */
export const PropsList = ({ current, declared }: {
  readonly declared: ReadonlyArray<Props.Prop>
  readonly current: Props.Values
}) => {
  const others = Props.ofValues(current).filter(({ name }) => !declared.some((prop) => prop.name === name))
  const all = [...declared, ...others].filter(Props.takesValue)
  return all.length === 0 ? <p class="note">The code has no props.</p> : (
    <dl class="facts">
      {all.map((prop) => {
        const value = Props.valueOf(prop, current, {})
        return [
          <dt key={prop.name} title={prop.name}>{harmless(Props.labelOf(prop))}</dt>,
          <dd key={`${prop.name} value`}>
            {Props.isSecret(prop)
              ? <span class="note">secret: not shown</span>
              : value === undefined
              ? <span class="note">none</span>
              : (
                <code>
                  <bdi>{harmless(Props.shown(value).slice(0, 2_000))}</bdi>
                </code>
              )}
          </dd>
        ]
      })}
    </dl>
  )
}
