import { count, duration } from "../charts/Figures.ts"
import type { AccountNow } from "../resources/AccountFigures.ts"
import { Ago } from "./Time.tsx"

type Quota = AccountNow["quotas"][number]

/** The quotas, in words. */
export const quotaNames: Readonly<Record<Quota["quota"], string>> = {
  daily_compute_time: "Compute time today",
  daily_invocations: "Invocations today",
  billing_period_invocations: "Invocations in this billing period"
}

/** The used part of a quota; 1 is all of it. */
export const shareOf = ({ limit, used }: Quota): number => limit === null ? 0 : limit === 0 ? 1 : used / limit

export const percent = (share: number): string => `${Math.floor(share * 100)} %`

/** An amount of a quota. */
export const amountText = (quota: Quota["quota"]): (amount: number) => string =>
  quota === "daily_compute_time" ? duration : count

/** The used part of each quota. */
export const Quotas = ({ limitedBy, quotas }: {
  readonly quotas: ReadonlyArray<Quota>
  /** Says whose the limits are. */
  readonly limitedBy?: (quota: Quota["quota"]) => string
}) => (
  <ul class="quotas">
    {quotas.map((quota) => {
      const { limit, until_ms, used } = quota
      const text = amountText(quota.quota)
      const share = shareOf(quota)
      return (
        <li key={quota.quota}>
          <span class="quota-name">{quotaNames[quota.quota]}</span>
          <span>
            {text(used)}{" "}
            {limit === null ? <span class="note">no limit set</span> : `of ${text(limit)}, ${percent(share)}`}
          </span>
          {limit === null ?
            null :
            (
              <span class={`share ${share >= 1 ? "is-bad" : share >= 0.8 ? "is-wait" : ""}`} aria-hidden="true">
                <span style={{ width: `${Math.min(100, share * 100)}%` }} />
              </span>
            )}
          <span class="note">
            resets <Ago ms={until_ms} />
            {limitedBy?.(quota.quota)}
          </span>
        </li>
      )
    })}
  </ul>
)
