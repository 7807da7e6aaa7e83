import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { useRested } from "../api/useRested.ts"
import { count, counted } from "../charts/Figures.ts"
import * as Events from "../resources/Events.ts"
import { reasonOf } from "../resources/Journey.ts"
import type { Values } from "../resources/Props.ts"
import * as Subscriptions from "../resources/Subscriptions.ts"
import { Name } from "./Name.tsx"
import { Shown } from "./Shown.tsx"
import { Time } from "./Time.tsx"

/** The most events that are shown; all are counted. */
const maxShown = 12

const Found = ({ preview: { events } }: { readonly preview: Subscriptions.Preview }) => {
  const matching = events.filter(({ matched }) => matched).length
  return (
    <>
      <p role="status">
        {events.length === 0
          ? "Its emitters have no events yet."
          : `It would deliver ${count(matching)} of the latest ${counted(events.length, "event")}.`}
      </p>
      {events.length === 0 ? null : (
        <div class="wide-table" tabIndex={0} role="group" aria-label="The latest events">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Event</th>
                <th scope="col">Emitter</th>
                <th scope="col">Delivered</th>
              </tr>
            </thead>
            <tbody>
              {events.slice(0, maxShown).map((event) => (
                <tr key={`${event.emitter_id} ${event.event_id}`}>
                  <td>
                    <a href={hrefOf(["events", event.emitter_id, event.event_id])} target="_blank">
                      <Time ms={Events.timeOf(event.event_id)} milliseconds />
                    </a>
                  </td>
                  <td>
                    <Name id={event.emitter_id} />
                  </td>
                  <td>{event.matched ? "yes" : reasonOf(event)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

/** The latest events, and which of them a subscription would deliver as it is filled in. */
export const SubscriptionPreview = ({ body }: { readonly body: Values }) => {
  const { emitter_id, event_name, filter, listener_id } = body
  const isFilled = typeof emitter_id === "string" && typeof listener_id === "string"
  const key = useRested(
    isFilled ? JSON.stringify({ emitter_id, listener_id, event_name, filter: filter ?? undefined }) : ""
  )
  const preview = useLoading(
    key,
    async (signal) =>
      key === "" ? { isFilled: false as const } : {
        isFilled: true as const,
        found: await Subscriptions.preview(JSON.parse(key) as Values, signal)
      }
  )
  return (
    <section class="block" aria-label="Preview">
      <h3>Preview</h3>
      <Shown loading={preview} what="the latest events">
        {(read) =>
          read.isFilled
            ? <Found preview={read.found} />
            : <p class="note">Fill in what it hears and who listens, and the latest events are tried.</p>}
      </Shown>
    </section>
  )
}
