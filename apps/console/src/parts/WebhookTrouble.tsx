import type { WebhookDetails } from "../resources/Webhooks.ts"
import { Ago, Time } from "./Time.tsx"

const disabled = {
  gone: "The server switched it off because its endpoint answered 410 Gone. Resume it once the endpoint is back.",
  failing:
    "The server switched it off because nothing could be delivered for five days. Resume it once its endpoint works again."
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
