import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { type Failure, failureOf } from "./Failure.ts"
import { isPresent } from "./Presence.ts"

/** The state of a value from the server. `stale`: it is shown as it was, since it could not be read again. */
export type Loaded<A> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly failure: Failure }
  | { readonly state: "shown"; readonly value: A; readonly atMs: number }
  | { readonly state: "stale"; readonly value: A; readonly atMs: number; readonly failure: Failure }

/** A value from the server, which can be read again. */
export class Loading<A> {
  readonly #load: (signal: AbortSignal) => Promise<A>
  readonly #loaded = signal<Loaded<A>>({ state: "loading" })
  readonly isUnderWay = signal(false)
  #abort: AbortController | undefined

  constructor(load: (signal: AbortSignal) => Promise<A>) {
    this.#load = load
  }

  get loaded(): ReadonlySignal<Loaded<A>> {
    return this.#loaded
  }

  /** Asks again. The shown value stays until there is an answer. */
  reload = async (): Promise<void> => {
    this.#abort?.abort()
    const abort = new AbortController()
    this.#abort = abort
    this.isUnderWay.value = true
    if (this.#loaded.peek().state === "failed") this.#loaded.value = { state: "loading" }
    try {
      const value = await this.#load(abort.signal)
      if (!abort.signal.aborted) this.#loaded.value = { state: "shown", value, atMs: Date.now() }
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(failureOf(error))
    } finally {
      if (this.#abort === abort) this.isUnderWay.value = false
    }
  }

  stop(): void {
    this.#abort?.abort()
  }

  #fail(failure: Failure): void {
    const current = this.#loaded.peek()
    const isGone = failure.status === 404 || failure.status === 403
    this.#loaded.value = (current.state === "shown" || current.state === "stale") && !isGone
      ? { state: "stale", value: current.value, atMs: current.atMs, failure }
      : { state: "failed", failure }
  }
}

/**
 * Asks the server when the component appears, and whenever `key` changes.
 *
 * @param options.everyMs milliseconds after which it asks again, while somebody looks at the page
 */
export const useLoading = <A>(
  key: string,
  load: (signal: AbortSignal) => Promise<A>,
  options: { readonly everyMs?: number } = {}
): Loading<A> => {
  const loading = useMemo(() => new Loading(load), [key])
  useEffect(() => {
    void loading.reload()
    return () => loading.stop()
  }, [loading])
  const { everyMs } = options
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      if (isPresent() && !loading.isUnderWay.peek()) void loading.reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [loading, everyMs])
  return loading
}
