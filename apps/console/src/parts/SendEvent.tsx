import { useSignal } from "@preact/signals"
import { type EndpointAnswer, send } from "../api/Endpoints.ts"
import { may } from "../api/Session.ts"
import { duration } from "../charts/Figures.ts"
import { Badge } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import { JsonDialog } from "./JsonDialog.tsx"

/** The last event that was sent to each endpoint, to send it again. */
const sent = new Map<string, string>()

/** A button that sends an event to a source's or workflow's endpoint, as its senders do. */
export const SendEvent = ({ url }: { readonly url: string | undefined }) => {
  const isAsked = useSignal(false)
  const answer = useSignal<EndpointAnswer | undefined>(undefined)
  if (url === undefined || !may("run")) return null
  const found = answer.value
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isAsked.value = true
        }}
      >
        Send an event …
      </button>
      {isAsked.value
        ? (
          <JsonDialog
            title="Send an event"
            note="Sends a POST to its endpoint, as any sender would. This is a real event, which goes to all listeners."
            label="Body, as JSON"
            text={sent.get(url) ?? "{\n  \"order\": 1001\n}"}
            name="Send"
            doing="Sending …"
            failed="It was not sent."
            act={async (text) => {
              sent.set(url, text)
              answer.value = undefined
              answer.value = await send(url, text)
            }}
            onClose={() => {
              isAsked.value = false
              answer.value = undefined
            }}
          >
            {found === undefined ? null : (
              <div role="status">
                <p class="bar">
                  <Badge
                    tone={found.status < 300 ? "good" : "bad"}
                    text={`${found.status} ${found.statusText}`.trim()}
                  />
                  <span class="note">after {duration(found.ms)}</span>
                </p>
                {found.body === "" ?
                  null :
                  <pre class="raw" tabIndex={0}><bdi>{harmless(found.body.slice(0, 20_000))}</bdi></pre>}
              </div>
            )}
          </JsonDialog>
        )
        : null}
    </>
  )
}
