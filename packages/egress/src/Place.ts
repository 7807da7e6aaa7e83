/** The destination of requests to a URL, and the parts of the URL that each of them states. */
export interface Place {
  readonly origin: string
  /** As the `host` header has it. */
  readonly authority: string
  /** Without brackets. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  readonly path: string
  /** The user and password of the URL, as every HTTP client sends them (RFC 7617). */
  readonly authorization: string | undefined
}

export const placeOf = (url: URL): Place => {
  const isSecure = url.protocol === "https:"
  return {
    origin: url.origin,
    authority: url.host,
    host: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
    path: url.pathname + url.search,
    authorization: authorizationOf(url)
  }
}

/** Decodes percent-encoded text; text that only looks encoded stays as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const authorizationOf = (url: URL): string | undefined => {
  if (url.username === "" && url.password === "") return undefined
  const text = `${decoded(url.username)}:${decoded(url.password)}`
  return `Basic ${Buffer.from(text).toString("base64")}`
}
