import { failureOf } from "../api/Failure.ts"
import { useLoading } from "../api/Loading.ts"
import * as StoredInputs from "../resources/StoredInputs.ts"
import type { Subject } from "../resources/Trials.ts"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"
import { Shown } from "./Shown.tsx"
import { local } from "./Time.tsx"

/** Offers the inputs of the last runs, and takes one. */
export const StoredInputChoice = ({ onTake, subject }: {
  readonly subject: Subject
  readonly onTake: (input: StoredInputs.StoredInput, event: unknown) => void
}) => {
  const inputs = useLoading(subject.id, (signal) => StoredInputs.list(subject, signal))
  const take = async (input: StoredInputs.StoredInput) => {
    try {
      const event = await input.read()
      if (event === undefined) tell("failed", "The input of this run was not stored.")
      else onTake(input, event)
    } catch (error) {
      tell("failed", failureOf(error).message)
    }
  }
  return (
    <Shown loading={inputs} what="the stored inputs">
      {(found) =>
        found.length === 0
          ? (
            <p class="note">
              {subject.kind === "workflow"
                ? "No run has a stored input yet."
                : "A source’s input is stored only when a run fails, and none has failed."}
            </p>
          )
          : (
            <label class="prop">
              <span class="prop-label">Use the input of a {subject.kind === "workflow" ? "run" : "failed run"}</span>
              <select
                value=""
                onChange={({ currentTarget }) => {
                  const input = found.find(({ id }) => id === currentTarget.value)
                  currentTarget.value = ""
                  if (input !== undefined) void take(input)
                }}
              >
                <option value="">select one …</option>
                {found.map(({ atMs, id, outcome }) => (
                  <option key={id} value={id}>{local(atMs)}, {harmless(outcome.slice(0, 60))}</option>
                ))}
              </select>
            </label>
          )}
    </Shown>
  )
}
