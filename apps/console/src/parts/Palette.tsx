import { useSignal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import { failureOf } from "../api/Failure.ts"
import { useLoading } from "../api/Loading.ts"
import { useRested } from "../api/useRested.ts"
import * as Commands from "../resources/Commands.ts"
import * as Directory from "../resources/Directory.ts"
import * as WholeId from "../resources/WholeId.ts"
import { Dialog } from "./Dialog.tsx"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"

/** Finds anything by its name or id, and does what can be done with it. */
export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const id = useId()
  const text = useSignal("")
  const chosen = useSignal(0)
  const list = useRef<HTMLUListElement>(null)
  Directory.useFreshNames()
  const given = text.value.trim()
  const rested = useRested(given)
  const isWhole = WholeId.mayBe(given) && !Directory.names.value.has(given)
  const isAsked = isWhole && rested === given
  const looked = useLoading(
    isAsked ? rested : "",
    (signal) => isAsked ? WholeId.find(rested, signal) : Promise.resolve([])
  ).loaded.value
  const isLooking = isWhole && (rested !== given || looked.state === "loading")
  const whole = isAsked && looked.state === "shown" ? looked.value : []
  const kind = isWhole ? WholeId.kindOf(given) : undefined
  const words = WholeId.wordsOn(given)
  const found = Commands.find(text.value, whole)
  const current = Math.min(chosen.value, found.length - 1)
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" })
  }, [current, text.value])
  // Somebody who pastes an id and presses Enter means what has that id. A text that may be a path may also be a name.
  const isAwaited = useSignal(false)
  useEffect(() => {
    if (isLooking || !isAwaited.value) return
    isAwaited.value = false
    if (whole.length > 0 || kind === undefined || Directory.names.value.has(given)) void run(found[0])
  }, [isLooking])
  const run = async (command: Commands.Command | undefined) => {
    if (command === undefined) return
    onClose()
    try {
      const done = await command.run()
      if (done !== undefined) tell("done", done)
    } catch (error) {
      const failure = failureOf(error)
      tell("failed", `${failure.message} ${failure.advice}`)
    }
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === "Enter") {
      event.preventDefault()
      if (isLooking && current === 0) isAwaited.value = true
      else void run(found[current])
    } else if (step !== undefined) {
      event.preventDefault()
      chosen.value = (current + step + found.length) % found.length
    }
  }
  return (
    <Dialog title="Find anything" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="A name, an id or a command"
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder="a name, an id or a command"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          chosen.value = 0
          isAwaited.value = false
        }}
        onKeyDown={press}
      />
      <ul ref={list} id={`${id}-list`} class="palette" role="listbox" aria-label="Found">
        {found.map((command, index) => (
          <li
            key={command.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => void run(command)}
          >
            <bdi>{harmless(command.title.slice(0, 200))}</bdi>
            <span class="note">{command.kind}</span>
          </li>
        ))}
      </ul>
      {kind === undefined || whole.length > 0 ? null : (
        <p class="note" role="status">
          {isLooking
            ? `Looking for the ${kind} …`
            : looked.state === "failed"
            ? `The search for the ${kind} failed: ${harmless(looked.failure.message)}`
            : "Nothing has this id."}
        </p>
      )}
      {words === undefined ? null : <p class="note" role="status">{words}</p>}
      {Directory.failure.value === undefined
        ? null
        : <p class="fault" role="alert">The names could not be read: {harmless(Directory.failure.value.message)}</p>}
    </Dialog>
  )
}
