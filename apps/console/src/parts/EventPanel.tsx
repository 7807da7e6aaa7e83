import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { one, payloadOf, streamOf, timeOf } from "../resources/Events.ts"
import { Stream } from "./EventCells.tsx"
import { Close } from "./Icons.tsx"
import { Name } from "./Name.tsx"
import { Payload } from "./Payload.tsx"
import { Shown } from "./Shown.tsx"
import { Time } from "./Time.tsx"
import { useEscape } from "./useEscape.ts"

/** One event beside the list that it was opened from. */
export const EventPanel = ({ emitter, id, onClose }: {
  readonly emitter: string
  readonly id: string
  readonly onClose: () => void
}) => {
  const event = useLoading(`${emitter}/${id}`, (signal) => one(emitter, id, signal))
  useEscape(onClose)
  return (
    <aside class="panel" aria-label="The open event">
      <div class="panel-head">
        <h2>
          <code>{id}</code>
        </h2>
        <a class="button" href={hrefOf(["events", emitter, id])}>Trace the event</a>
        <button type="button" class="bare" aria-label="Close the event" onClick={onClose}>
          <Close />
        </button>
      </div>
      <Shown loading={event} what="the event">
        {(found) => (
          <>
            <dl class="facts">
              <dt>Emitted</dt>
              <dd>
                <Time ms={timeOf(found.id)} milliseconds />
              </dd>
              <dt>Emitter</dt>
              <dd>
                <Name id={emitter} />
              </dd>
              <dt>Stream</dt>
              <dd>
                <Stream name={streamOf(found)} />
              </dd>
              <dt>Emit id</dt>
              <dd>
                <code>{found.metadata.emit_id}</code>
              </dd>
            </dl>
            <Payload value={payloadOf(found)} />
          </>
        )}
      </Shown>
    </aside>
  )
}
