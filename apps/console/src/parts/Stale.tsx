import type { Failure } from "../api/Failure.ts"
import { Time } from "./Time.tsx"

/** Says that the shown value is out of date, because it could not be refreshed. */
export const Stale = ({ atMs, failure, onRetry }: {
  readonly atMs: number
  readonly failure: Failure
  readonly onRetry: () => void
}) => (
  <div class="stale" role="status">
    <span>
      As of <Time ms={atMs} />: it could not be refreshed. {failure.message}
    </span>
    <button type="button" class="quiet" onClick={onRetry}>Try again</button>
  </div>
)
