import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { type Failure, failureOf } from "./api/Failure.ts"
import * as Session from "./api/Session.ts"
import { Mark } from "./parts/Icons.tsx"

const said = {
  new: undefined,
  left: "You have signed out.",
  ended: "Your session has ended. Sign in again to continue where you were."
}

const words = (failure: Failure): string => {
  if (failure.status === 401) return "The server does not know this key. It may have been revoked, or have expired."
  return `${failure.message} ${failure.advice}`
}

/** Exchanges an API key for a session. The key goes to the server once, and the page does not keep it. */
export const SignIn = ({ why }: { readonly why: keyof typeof said }) => {
  const input = useRef<HTMLInputElement>(null)
  const failure = useSignal<Failure | undefined>(undefined)
  const isUnderWay = useSignal(false)
  useEffect(() => {
    document.title = "Sign in · Headwater"
    input.current?.focus()
  }, [])

  const submit = async (event: Event) => {
    event.preventDefault()
    const field = input.current
    const key = field?.value.trim() ?? ""
    if (field === null || key === "" || isUnderWay.value) return
    isUnderWay.value = true
    failure.value = undefined
    try {
      await Session.signIn(key)
      field.value = ""
    } catch (error) {
      failure.value = failureOf(error)
      field.select()
    } finally {
      isUnderWay.value = false
    }
  }

  return (
    <main class="alone">
      <form class="sign-in" onSubmit={(event) => void submit(event)}>
        <h1>
          <Mark /> Headwater
        </h1>
        {said[why] === undefined ? null : <p role="status">{said[why]}</p>}
        <label for="api-key">API key</label>
        <input
          id="api-key"
          ref={input}
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="hw_…"
          aria-invalid={failure.value !== undefined}
          aria-describedby="api-key-note"
        />
        {failure.value === undefined ? null : <p class="fault" role="alert">{words(failure.value)}</p>}
        <button type="submit" class="main" disabled={isUnderWay.value}>
          {isUnderWay.value ? "Signing in …" : "Sign in"}
        </button>
        <p id="api-key-note" class="note">
          The server printed the first key at its first start; <code>headwater key create</code>{" "}
          makes another. The page does not keep the key: it opens a session, which ends after an hour without use.
        </p>
      </form>
    </main>
  )
}
