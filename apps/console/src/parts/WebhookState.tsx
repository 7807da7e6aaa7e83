import type { WebhookDetails } from "../resources/Webhooks.ts"
import { Badge } from "./Badge.tsx"
import { Ago, Time } from "./Time.tsx"

/** Says whether a webhook is sent to, and whether anything arrives. */
export const WebhookState = ({ webhook: { active, disabled_reason, failing_since_ms, throttled_until_ms } }: {
  readonly webhook: WebhookDetails
}) => {
  if (disabled_reason !== null) return <Badge tone="bad" text="disabled" />
  if (!active) return <Badge tone="waiting" text="paused" />
  if (failing_since_ms !== null) return <Badge tone="bad" text="failing" />
  if (throttled_until_ms !== null) return <Badge tone="waiting" text="throttled" />
  return <Badge tone="good" text="active" />
}

const disabled = {
  gone:
    "The server has switched it off, since its endpoint answered 410: it is gone. Resume it once it is there again.",
  failing: "The server has switched it off, since nothing arrived for five days. Resume it once its endpoint answers."
} as const

/** The troubles of a webhook's deliveries, in words. */
export const WebhookTrouble = ({ webhook: { active, disabled_reason, failing_since_ms, throttled_until_ms } }: {
  readonly webhook: WebhookDetails
}) => (
  <>
    {disabled_reason === null ? null : <p class="fault">{disabled[disabled_reason]}</p>}
    {failing_since_ms === null || !active ? null : (
      <p class="fault">
        Nothing has arrived since <Time ms={failing_since_ms} />.
      </p>
    )}
    {throttled_until_ms === null || !active ? null : (
      <p class="note">
        Its endpoint asked for a pause: the next attempt is <Ago ms={throttled_until_ms} />.
      </p>
    )}
  </>
)
