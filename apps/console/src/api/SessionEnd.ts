import type { Failure } from "./Failure.ts"

/** Called when the server refuses the page for want of a session. `Session.ts` sets it. */
let listener: (failure: Failure) => void = () => {}

export const onEnd = (listen: (failure: Failure) => void): void => {
  listener = listen
}

export const ended = (failure: Failure): void => listener(failure)
