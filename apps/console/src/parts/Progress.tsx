import { count } from "../charts/Figures.ts"
import type { BulkActionResource } from "../resources/BulkActions.ts"

/** The outcomes of the deliveries that a bulk action has found so far, as shares of them. */
export const Progress = ({ run }: { readonly run: BulkActionResource }) => {
  const { done, failed, left, matched, skipped } = run
  const shares = [["done", done], ["failed", failed], ["skipped", skipped], ["left", left]] as const
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={matched}
      aria-valuenow={matched - left}
      aria-valuetext={`${count(matched - left)} of ${count(matched)}`}
    >
      {shares.map(([name, share]) =>
        share === 0 ? null : <span key={name} class={`progress-${name}`} style={{ flexGrow: share }} />
      )}
    </div>
  )
}
