import { hrefOf } from "../api/Address.ts"
import { placeText } from "../code/CodePlace.ts"
import type * as Outcome from "../resources/Outcome.ts"
import { harmless } from "./Harmless.ts"
import { Time } from "./Time.tsx"

/** The most characters of a message that are shown. */
export const maxShown = 2_000

/** The error that a run threw, with its place in the code, as an item of a list. */
export const ErrorItem = ({ codeHref, error, id }: {
  readonly id: string
  readonly error: Outcome.ThrownError
  readonly codeHref: ((error: Outcome.ThrownError) => string) | undefined
}) => {
  const { atMs, message, name, place, sourceType, stack } = error
  return (
    <li>
      <div class="bar">
        <a href={hrefOf(["events", id, error.id])}>
          <Time ms={atMs} milliseconds />
        </a>
        <span class="fault">
          <bdi>{harmless(name === "" ? message.slice(0, maxShown) : `${name}: ${message.slice(0, maxShown)}`)}</bdi>
        </span>
        {place === undefined ? null : codeHref === undefined
          ? <span class="note">{placeText(place)}</span>
          : <a href={codeHref(error)}>{placeText(place)}</a>}
        {sourceType === "" ? null : <span class="note">{sourceType.toLowerCase()}</span>}
      </div>
      {stack === "" ? null : (
        <details>
          <summary>Stack</summary>
          <pre class="raw" tabIndex={0}><bdi>{harmless(stack.slice(0, 20_000))}</bdi></pre>
        </details>
      )}
    </li>
  )
}
