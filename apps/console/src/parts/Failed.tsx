import type { ComponentChildren } from "preact"
import type { Failure } from "../api/Failure.ts"

/** A failure, its reason, and advice to the reader. It must not look like an empty result. */
export const Failed = ({ advice, children, failure, onRetry, what }: {
  readonly what: string
  readonly failure: Failure
  /** Better advice than that of the failure itself. */
  readonly advice?: string
  readonly onRetry?: () => void
  /** Other ways on. */
  readonly children?: ComponentChildren
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
    {children}
  </div>
)
