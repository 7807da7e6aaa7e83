import { Redacted } from "effect"

/** The mask for the password in a URL that is shown. */
const mask = "***"

/** A URL as it may be shown, and apart from it the password that it had. */
export interface SplitUrl {
  readonly shown: string
  /** As it was encoded in the URL. */
  readonly password: Redacted.Redacted | undefined
}

/** Takes the password out of a URL. One without a password stays as it is written. */
export const split = (url: string): SplitUrl => {
  const parsed = new URL(url)
  if (parsed.password === "") return { shown: url, password: undefined }
  const password = Redacted.make(parsed.password)
  parsed.password = mask
  return { shown: parsed.href, password }
}

/** The URL that was split. */
export const join = ({ password, shown }: SplitUrl): Redacted.Redacted => {
  if (password === undefined) return Redacted.make(shown)
  const url = new URL(shown)
  url.password = Redacted.value(password)
  return Redacted.make(url.href)
}

/** True if the URL is one that was shown, with the mask in place of its password. */
export const isMasked = (url: string): boolean => new URL(url).password === mask
