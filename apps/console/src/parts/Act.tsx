import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { failureOf } from "../api/Failure.ts"
import { may, type Scope } from "../api/Session.ts"
import { Confirm } from "./Confirm.tsx"
import { tell } from "./Notices.tsx"

/** A button that has the server do something, and tells the outcome. It appears only for keys that may do it. */
export const Act = ({ act, ask, children, done, kind, needs }: {
  readonly needs: Exclude<Scope, "read">
  readonly act: () => Promise<unknown>
  /** A warning to confirm first, for an act that cannot be undone. */
  readonly ask?: string
  /** The notice of success; none if the page itself shows it. */
  readonly done?: string
  readonly kind?: "main" | "danger"
  readonly children: ComponentChildren
}) => {
  const isUnderWay = useSignal(false)
  const isAsking = useSignal(false)
  if (!may(needs)) return null
  const finish = async () => {
    await act()
    if (done !== undefined) tell("done", done)
  }
  const start = async () => {
    if (isUnderWay.value) return
    isUnderWay.value = true
    try {
      await finish()
    } catch (error) {
      const failure = failureOf(error)
      tell("failed", `${failure.message} ${failure.advice}`)
    } finally {
      isUnderWay.value = false
    }
  }
  return (
    <>
      <button
        type="button"
        class={kind}
        disabled={isUnderWay.value}
        onClick={() => {
          if (ask === undefined) void start()
          else isAsking.value = true
        }}
      >
        {children}
      </button>
      {ask !== undefined && isAsking.value
        ? (
          <Confirm
            title="Are you sure?"
            leave="Go back"
            name={children}
            doing="Working …"
            failed="It was not done."
            act={finish}
            onClose={() => {
              isAsking.value = false
            }}
          >
            <p>{ask}</p>
          </Confirm>
        )
        : null}
    </>
  )
}
