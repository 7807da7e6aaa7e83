/** The requests of Python's `requests`, which are made with the sandbox's own `fetch`. */
import { routedFetch } from "./Fetch.ts"

const { parse, stringify } = JSON

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Until the answer begins, in milliseconds. */
  readonly timeout?: number | undefined
}

const codeOf = (error: unknown): string => {
  const found = typeof error === "object" && error !== null && "code" in error ? error.code : undefined
  return typeof found === "string" ? found : ""
}

/** Makes one request, without following where it leads. Answers JSON, and the body where there is an answer. */
export const exchange = async (
  json: string,
  body: Uint8Array<ArrayBuffer> | undefined
): Promise<readonly [json: string, body: Uint8Array]> => {
  const { headers, method, timeout, url } = parse(json) as Asked
  try {
    const response = await routedFetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) })
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const { status, statusText } = response
    return [stringify({ status, reason: statusText, headers: [...response.headers] }), bytes]
  } catch (error) {
    const { message = String(error), name = "Error" } = error instanceof Error ? error : {}
    return [stringify({ error: { name, message, code: codeOf(error) } }), new Uint8Array()]
  }
}
