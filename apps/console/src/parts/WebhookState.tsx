import type { WebhookDetails } from "../resources/Webhooks.ts"
import { Ago, Time } from "./Time.tsx"

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
