import { root } from "./Address.ts"
import { Failure } from "./Failure.ts"

/** An endpoint's answer. */
export interface EndpointAnswer {
  readonly status: number
  readonly statusText: string
  readonly ms: number
  readonly body: string
}

/**
 * An endpoint's URL on the server that the page came from, whatever name that server has for itself. The page may ask
 * no other server.
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
    throw new Failure({ message: "The endpoint did not respond.", code: "network", status: 0 })
  }
}
