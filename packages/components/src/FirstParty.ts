import { readFileSync } from "node:fs"

/** A component that comes with the server. */
export interface FirstPartyComponent {
  /** The key in its code, under which it is found in the registry. */
  readonly key: string
  readonly code: string
}

/** Keys that begin so are the server's own. */
export const keyPrefix = "headwater-"

const component = (name: string): FirstPartyComponent => ({
  key: keyPrefix + name,
  code: readFileSync(new URL(`./${name}.mjs`, import.meta.url), "utf8")
})

/** What the server itself publishes in the registry. */
export const firstParty: ReadonlyArray<FirstPartyComponent> = [
  "github",
  "http-requests",
  "schedule",
  "signed-webhook",
  "stripe-webhook"
].map(component)
