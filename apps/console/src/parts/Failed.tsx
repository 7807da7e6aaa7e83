import type { Failure } from "../api/Failure.ts"

/** What could not be had, why, and what the reader can do: never to be taken for something that is empty. */
export const Failed = ({ advice, failure, onRetry, what }: {
  readonly what: string
  readonly failure: Failure
  /** What to do, where the failure itself does not say it best. */
  readonly advice?: string
  readonly onRetry?: () => void
}) => (
  <div class="failed" role="alert">
    <p class="failed-what">{what}</p>
    <p>{failure.message}</p>
    {failure.issues.length < 2 ? null : (
      <ul>
        {failure.issues.map(({ message, path }) => (
          <li key={path}>
            <code>{path}</code>: {message}
          </li>
        ))}
      </ul>
    )}
    <p class="note">{advice ?? failure.advice}</p>
    {onRetry === undefined ? null : <button type="button" onClick={onRetry}>Try again</button>}
  </div>
)
