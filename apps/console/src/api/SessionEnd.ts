import type { Failure } from "./Failure.ts"

/** Told when the server takes this page for nobody's: `Session.ts` says what happens then. */
let listener: (failure: Failure) => void = () => {}

export const onEnd = (listen: (failure: Failure) => void): void => {
  listener = listen
}

export const ended = (failure: Failure): void => listener(failure)
