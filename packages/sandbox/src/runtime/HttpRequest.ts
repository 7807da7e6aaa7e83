/** The value of an `http_request` prop: a request that the user has put together (`components.md`, "Props"). */

interface Field {
  readonly name?: unknown
  readonly value?: unknown
  readonly disabled?: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Names with values, as a list of fields or as an object. */
const pairs = (given: unknown): Array<[string, string]> => {
  if (!isObject(given)) return []
  if (!Array.isArray(given)) return Object.entries(given).map(([name, value]) => [name, String(value)])
  return given.filter((field: Field) => isObject(field) && field.disabled !== true && String(field.name ?? "") !== "")
    .map((field: Field) => [String(field.name), String(field.value ?? "")])
}

const authorization = (auth: unknown): Record<string, string> => {
  if (!isObject(auth)) return {}
  if (auth["type"] === "basic") {
    const { password = "", username = "" } = auth
    return { authorization: `Basic ${Buffer.from(`${String(username)}:${String(password)}`).toString("base64")}` }
  }
  return auth["type"] === "bearer" || auth["type"] === "token"
    ? { authorization: `Bearer ${String(auth["token"])}` }
    : {}
}

const bodyOf = (given: unknown): { readonly body?: string; readonly type?: string } => {
  if (given === undefined || given === null || given === "") return {}
  if (typeof given === "string") return { body: given }
  if (!isObject(given)) return { body: String(given) }
  const { contentType, fields, mode, raw, type } = given
  if ((mode ?? type) === "raw" || typeof raw === "string") {
    return { body: String(raw ?? ""), ...(typeof contentType === "string" ? { type: contentType } : {}) }
  }
  if (!Array.isArray(fields)) return { body: JSON.stringify(given), type: "application/json" }
  return contentType === "application/x-www-form-urlencoded"
    ? { body: String(new URLSearchParams(pairs(fields))), type: contentType }
    : { body: JSON.stringify(Object.fromEntries(pairs(fields))), type: "application/json" }
}

/** JSON as what it says, and anything else as the text that it is. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const send = async (request: Record<string, unknown>): Promise<unknown> => {
  const url = new URL(String(request["url"]))
  for (const [name, value] of pairs(request["params"])) url.searchParams.append(name, value)
  const { body, type } = bodyOf(request["body"] ?? request["data"])
  const method = String(request["method"] ?? "GET").toUpperCase()
  const headers = new Headers(authorization(request["auth"]))
  if (type !== undefined) headers.set("content-type", type)
  for (const [name, value] of pairs(request["headers"])) headers.set(name, value)
  const hasBody = body !== undefined && method !== "GET" && method !== "HEAD"
  const response = await fetch(url, { method, headers, ...(hasBody ? { body } : {}) })
  const { status, statusText } = response
  const cookies = response.headers.getSetCookie()
  const answer = {
    data: parsed(await response.text()),
    status,
    statusText,
    headers: { ...Object.fromEntries(response.headers), ...(cookies.length === 0 ? {} : { "set-cookie": cookies }) },
    config: { ...request, url: url.href, method }
  }
  if (response.ok) return answer
  const error = new Error(`Request failed with status code ${status}`)
  throw Object.assign(error, {
    code: status < 500 ? "ERR_BAD_REQUEST" : "ERR_BAD_RESPONSE",
    status,
    response: answer
  })
}

/**
 * The request with `execute`, which sends it and answers `{data, status, statusText, headers, config}`, as axios does; what
 * it is called with comes in place.
 */
export const makeHttpRequest = (value: unknown): Record<string, unknown> => {
  const request = isObject(value) ? value : {}
  return { ...request, execute: (changes?: unknown) => send({ ...request, ...(isObject(changes) ? changes : {}) }) }
}
