import type { ComponentChildren } from "preact"
import type { Loading } from "../api/Loading.ts"
import { Failed } from "./Failed.tsx"
import { Stale } from "./Stale.tsx"
import { Waiting } from "./Waiting.tsx"

/** Shows something that is loaded, and says so while it is on its way, can't be had, or is as it was. */
export const Shown = <A extends NonNullable<unknown>>({ children, loading, what }: {
  readonly loading: Loading<A>
  /** What it is, as in "the webhooks". */
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
      // In one place for both: what the reader has opened or typed inside stays when it can't be read again.
      return (
        <>
          {loaded.state === "shown" ? null : <Stale atMs={loaded.atMs} failure={loaded.failure} onRetry={retry} />}
          {children(loaded.value)}
        </>
      )
  }
}
