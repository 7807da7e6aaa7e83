import type { ComponentChildren } from "preact"
import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { lineOf, timeOf } from "../resources/Events.ts"
import * as Outcome from "../resources/Outcome.ts"
import { ErrorItem, maxShown } from "./ErrorItem.tsx"
import { harmless } from "./Harmless.ts"
import { Shown } from "./Shown.tsx"
import { Time } from "./Time.tsx"

const pollMs = 3_000

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

/** The latest errors, console lines and events of a source or workflow. */
export const ProgramTraces = ({ codeHref, id }: {
  readonly id: string
  /** The URL of the code at the place of an error; undefined if the API does not show the code. */
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
            empty="No errors are stored."
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
            empty="No console output is stored."
          >
            <div class="console" tabIndex={0} role="group" aria-label="Console lines, newest first">
              {lines.map(({ atMs, id, level, message }) => (
                <p key={id} class={`console-line is-${level}`}>
                  <Time ms={atMs} milliseconds /> <span class="console-level">{level}</span>{" "}
                  <bdi>{harmless(message.slice(0, maxShown))}</bdi>
                </p>
              ))}
            </div>
          </Section>
          <Section
            id={id}
            title="Last events"
            stream="default"
            isEmpty={events.length === 0}
            empty="No events are stored."
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
