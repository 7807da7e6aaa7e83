import { root } from "./Address.ts"
import { Failure } from "./Failure.ts"

/** What an endpoint answered. */
export interface EndpointAnswer {
  readonly status: number
  readonly statusText: string
  readonly ms: number
  readonly body: string
}

/**
 * An endpoint as this page reaches it: the server is where the page came from, whatever name it has for itself. The page
 * may ask no other.
 */
const reachable = (endpointUrl: string): URL => {
  const { pathname } = new URL(endpointUrl)
  return new URL(pathname.slice(pathname.lastIndexOf("/http/") + 1), new URL("../", root))
}

/**
 * Sends JSON to an endpoint, as anyone could who knows its URL: without the session.
 *
 * @throws Failure if no answer came
 */
export const send = async (endpointUrl: string, body: string): Promise<EndpointAnswer> => {
  const begun = performance.now()
  try {
    const response = await fetch(reachable(endpointUrl), {
      method: "POST",
      credentials: "omit",
      headers: { "content-type": "application/json" },
      body
    })
    const text = await response.text()
    return {
      status: response.status,
      statusText: response.statusText,
      ms: Math.round(performance.now() - begun),
      body: text
    }
  } catch {
    throw new Failure({ message: "The endpoint does not answer.", code: "network", status: 0 })
  }
}
