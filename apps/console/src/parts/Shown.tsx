import type { ComponentChildren } from "preact"
import type { Loading } from "../api/Loading.ts"
import { Failed } from "./Failed.tsx"
import { Stale } from "./Stale.tsx"
import { Waiting } from "./Waiting.tsx"

/** Shows a loaded value, and says so while it is loading, has failed to load, or is out of date. */
export const Shown = <A extends NonNullable<unknown>>({ children, loading, what }: {
  readonly loading: Loading<A>
  /** The name of the value, as in "the webhooks". */
  readonly what: string
  readonly children: (value: A) => ComponentChildren
}) => {
  const loaded = loading.loaded.value
  const retry = () => void loading.reload()
  switch (loaded.state) {
    case "loading":
      return <Waiting what={what} />
    case "failed":
      return <Failed what={`Could not load ${what}.`} failure={loaded.failure} onRetry={retry} />
    case "shown":
    case "stale":
      // Both states share one element, so that opened or typed content inside stays when a reading fails.
      return (
        <>
          {loaded.state === "shown" ? null : <Stale atMs={loaded.atMs} failure={loaded.failure} onRetry={retry} />}
          {children(loaded.value)}
        </>
      )
  }
}
