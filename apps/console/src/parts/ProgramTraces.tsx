import type { ComponentChildren } from "preact"
import { hrefOf } from "../Address.ts"
import { placeText } from "../CodePlace.ts"
import { lineOf, timeOf } from "../Events.ts"
import { useLoading } from "../Loading.ts"
import * as Outcome from "../Outcome.ts"
import { harmless } from "./Harmless.ts"
import { Shown } from "./Shown.tsx"
import { Time } from "./Time.tsx"

const pollMs = 3_000

/** So much of a line is shown. */
const maxLine = 2_000

const Section = ({ children, empty, id, isEmpty, stream, title }: {
  readonly id: string
  readonly title: string
  readonly stream: string
  readonly empty: string
  readonly isEmpty: boolean
  readonly children: ComponentChildren
}) => (
  <section class="block" aria-label={title}>
    <div class="bar">
      <h2>{title}</h2>
      <a href={hrefOf(["events"], { emitter: id, stream })} aria-label={`All of: ${title}`}>all</a>
    </div>
    {isEmpty ? <p class="note">{empty}</p> : children}
  </section>
)

const ErrorItem = ({ codeHref, error, id }: {
  readonly id: string
  readonly error: Outcome.ThrownError
  readonly codeHref: ((error: Outcome.ThrownError) => string) | undefined
}) => {
  const { atMs, message, name, place, sourceType, stack } = error
  return (
    <li>
      <div class="bar">
        <a href={hrefOf(["events", id, error.id])}>
          <Time ms={atMs} milliseconds />
        </a>
        <span class="fault">
          <bdi>{harmless(name === "" ? message.slice(0, maxLine) : `${name}: ${message.slice(0, maxLine)}`)}</bdi>
        </span>
        {place === undefined ? null : codeHref === undefined
          ? <span class="note">{placeText(place)}</span>
          : <a href={codeHref(error)}>{placeText(place)}</a>}
        {sourceType === "" ? null : <span class="note">{sourceType.toLowerCase()}</span>}
      </div>
      {stack === "" ? null : (
        <details>
          <summary>Stack</summary>
          <pre class="raw" tabIndex={0}><bdi>{harmless(stack.slice(0, 20_000))}</bdi></pre>
        </details>
      )}
    </li>
  )
}

/** What a source or workflow has thrown, written to its console, and emitted of late. */
export const ProgramTraces = ({ codeHref, id }: {
  readonly id: string
  /** Where the code is shown at the place of an error; undefined where the API does not show the code. */
  readonly codeHref?: (error: Outcome.ThrownError) => string
}) => {
  const traces = useLoading(id, (signal) => Outcome.tracesOf(id, signal), { everyMs: pollMs })
  return (
    <Shown loading={traces} what="what it has done">
      {({ errors, events, lines }) => (
        <div class="traces-all">
          <Section
            id={id}
            title="Last errors"
            stream="$errors"
            isEmpty={errors.length === 0}
            empty="It has thrown nothing that the server still keeps."
          >
            <ul class="errors">
              {errors.map((error) => <ErrorItem key={error.id} id={id} error={error} codeHref={codeHref} />)}
            </ul>
          </Section>
          <Section
            id={id}
            title="Console"
            stream="$logs"
            isEmpty={lines.length === 0}
            empty="It has written nothing that the server still keeps."
          >
            <div class="console" tabIndex={0} role="group" aria-label="Console lines, the newest first">
              {lines.map(({ atMs, id, level, message }) => (
                <p key={id} class={`console-line is-${level}`}>
                  <Time ms={atMs} milliseconds /> <span class="console-level">{level}</span>{" "}
                  <bdi>{harmless(message.slice(0, maxLine))}</bdi>
                </p>
              ))}
            </div>
          </Section>
          <Section
            id={id}
            title="Last events"
            stream="default"
            isEmpty={events.length === 0}
            empty="It has emitted nothing that the server still keeps."
          >
            <ul class="emitted">
              {events.map((event) => (
                <li key={event.id}>
                  <a href={hrefOf(["events", id, event.id])}>
                    <Time ms={timeOf(event.id)} milliseconds />
                  </a>
                  <code>
                    <bdi>{harmless(lineOf(event).slice(0, 400))}</bdi>
                  </code>
                </li>
              ))}
            </ul>
          </Section>
        </div>
      )}
    </Shown>
  )
}
