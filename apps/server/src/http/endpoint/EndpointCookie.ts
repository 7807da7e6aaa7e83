import { sessionCookie } from "@headwater/api/Authorization"

/** A browser keeps such a cookie for the path `/` alone (RFC 6265bis, 4.1.3.2). */
const ofHost = "__host-"

const isWithin = (path: string, endpointPath: string): boolean =>
  path === endpointPath || path.startsWith(`${endpointPath}/`)

/**
 * A component's cookie as it is for its endpoint alone: without `Domain`, and with a `Path` that is not above the endpoint's.
 * Undefined for one that is for a whole host, or that would stand in for a session of the console.
 *
 * @param cookie the value of a `Set-Cookie` (RFC 6265, 4.1)
 * @param endpointPath of the endpoint's URL
 */
export const confined = (cookie: string, endpointPath: string): string | undefined => {
  const [pair = "", ...attributes] = cookie.split(";").map((part) => part.trim())
  if (pair.toLowerCase().startsWith(ofHost) || pair.includes(sessionCookie.key)) return undefined
  const named = attributes.map((text) => ({ text, name: text.split("=", 1)[0]!.trim().toLowerCase() }))
  const paths = named.filter(({ name }) => name === "path").map(({ text }) => text.slice(text.indexOf("=") + 1).trim())
  // Of several a browser takes the last.
  const last = paths.at(-1) ?? ""
  const path = isWithin(last, endpointPath) ? last : endpointPath
  const kept = named.filter(({ name, text }) => text !== "" && name !== "path" && name !== "domain")
  return [pair, ...kept.map(({ text }) => text), `Path=${path}`].join("; ")
}
