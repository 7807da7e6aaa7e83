import type { ComponentChildren } from "preact"
import { hrefOf } from "../api/Address.ts"
import { fieldOf } from "../resources/EventColumns.ts"
import { type EventSummary, lineOf, payloadOf, spelled, streamOf, timeOf, valueAt } from "../resources/Events.ts"
import { harmless } from "./Harmless.ts"
import { Name } from "./Name.tsx"
import { Ago, Time } from "./Time.tsx"

/** The most characters of a line. */
const maxLine = 400

/** The beginning of a text, in a line. */
export const Line = ({ text }: { readonly text: string }) => (
  <bdi>{harmless(text.slice(0, maxLine)).replaceAll("\n", " ")}</bdi>
)

/** The name of a stream, of which the default one has none: errors stand out. */
export const Stream = ({ name }: { readonly name: string }) => (
  <bdi class={name === "$errors" ? "stream is-errors" : name.startsWith("$") ? "stream is-own" : "stream"}>
    {harmless(spelled(name))}
  </bdi>
)

/** The cell of an event in a column. */
export const cellOf = (id: string, event: EventSummary): ComponentChildren => {
  const { metadata } = event
  switch (id) {
    case "time":
      return (
        <a tabIndex={-1} href={hrefOf(["events", metadata.emitter_id, event.id])}>
          <Time ms={timeOf(event.id)} milliseconds />
        </a>
      )
    case "age":
      return <Ago ms={timeOf(event.id)} />
    case "emitter":
      return <Name id={metadata.emitter_id} />
    case "stream":
      return <Stream name={streamOf(event)} />
    case "summary":
      return <Line text={metadata.summary ?? ""} />
    case "payload":
      return (
        <code>
          <Line text={lineOf(event)} />
        </code>
      )
    case "id":
      return <code>{event.id}</code>
    case "emit_id":
      return (
        <code>
          <Line text={metadata.emit_id} />
        </code>
      )
    default: {
      const value = valueAt(payloadOf(event), fieldOf(id) ?? "")
      return value === undefined
        ? <span class="note">–</span>
        : (
          <code>
            <Line text={typeof value === "string" ? value : JSON.stringify(value)} />
          </code>
        )
    }
  }
}
