/** A request to others that a step in shadow is about to make, which ends it. */

/** The name of the error by which the host knows it. */
export const heldName = "HeldInShadow"

/** @param what the request, in a few words */
export const heldMessage = (what: string): string => `held in shadow: ${what}`

/** True of the reason for which a run ended, if that is a request that is held. */
export const isHeld = (reason: string | null): reason is string => reason?.startsWith(heldMessage("")) === true

/** The request in the reason for which a run ended. */
export const requestOf = (reason: string): string => reason.slice(heldMessage("").length)
