import { type CodePlace, placeOf, placeText } from "../code/CodePlace.ts"
import type * as Trials from "../resources/Trials.ts"
import { harmless } from "./Harmless.ts"

/** The faults that the server found in code, and what to do about them. */
export const CodeFaults = ({ errors, onGo }: {
  readonly errors: Trials.CheckedCode["errors"]
  /** Takes the reader to a place in the code. */
  readonly onGo?: (place: CodePlace) => void
}) => (
  <div role={onGo === undefined ? "alert" : "group"} aria-label="Faults in the code">
    <ul class="errors">
      {errors.map((error) => {
        const place = placeOf(error)
        return (
          <li key={`${error.line} ${error.message}`}>
            <div class="bar">
              <span class="fault">
                <bdi>{harmless(error.message.slice(0, 2_000))}</bdi>
              </span>
              {place === undefined
                ? <span class="note">{harmless(error.file)}</span>
                : onGo === undefined
                ? <span class="note">{placeText(place)}</span>
                : <button type="button" class="quiet" onClick={() => onGo(place)}>Go to {placeText(place)}</button>}
            </div>
            <p>{harmless(error.advice)}</p>
          </li>
        )
      })}
    </ul>
  </div>
)
