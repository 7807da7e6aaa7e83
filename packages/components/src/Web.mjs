/** Reading from servers that may hang, or have more than there is room for. */

const timeoutMillis = 30_000

/** A URL as it may be shown: what comes after its path is often secret. */
export const shown = (url) => url.replace(/[?#].*$/s, "")

const readUpTo = async (body, maxBytes) => {
  const chunks = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const charsetOf = (contentType) => /;\s*charset="?([\w.:-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8"

/** The text in the charset that the answer names, else in UTF-8. */
const textOf = (bytes, contentType) => {
  try {
    return new TextDecoder(charsetOf(contentType)).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * GETs a URL, whole or not at all.
 *
 * @param validators of the answer that is known, as an earlier call gave them: then the status may be 304
 */
export const get = async (url, { headers = {}, maxBytes = 5 * 1024 * 1024, validators = {} } = {}) => {
  const conditions = {
    ...(validators.etag ? { "if-none-match": validators.etag } : {}),
    ...(validators.lastModified ? { "if-modified-since": validators.lastModified } : {})
  }
  const signal = AbortSignal.timeout(timeoutMillis)
  try {
    const response = await fetch(url, { headers: { ...conditions, ...headers }, signal })
    const bytes = await readUpTo(response.body, maxBytes)
    return {
      url: response.url,
      status: response.status,
      headers: response.headers,
      bytes,
      text: textOf(bytes, response.headers.get("content-type")),
      validators: {
        etag: response.headers.get("etag") ?? undefined,
        lastModified: response.headers.get("last-modified") ?? undefined
      }
    }
  } catch (cause) {
    const why = signal.aborted ? `no answer within ${timeoutMillis / 1000} seconds` : cause.message
    throw new Error(`GET ${shown(url)}: ${why}`, { cause })
  }
}

/** The same, but an answer without success is an error. */
export const getOk = async (url, options) => {
  const answer = await get(url, options)
  if (answer.status === 304 || (answer.status >= 200 && answer.status < 300)) return answer
  throw new Error(`GET ${shown(url)}: the answer is ${answer.status}: ${answer.text.slice(0, 200)}`)
}
