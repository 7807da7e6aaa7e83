/** Speaking with servers that may hang, fail, or have more than there is room for. */

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

const charsetOf = (contentType) => /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? "")?.[1].toLowerCase()

/** The encoding that the first bytes show: by a byte order mark, or by the zeros that letters of ASCII have in UTF-16. */
const shownEncodingOf = ([first, second, third, fourth]) => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if ((first === 0xfe && second === 0xff) || (first === 0 && second > 0 && !third)) return "utf-16be"
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0 && !fourth)) return "utf-16le"
  return undefined
}

const decoded = (bytes, encoding, fatal) => {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The text, in the first of these encodings that is known and that the bytes are in: what they begin with shows it, the
 * answer names it, the document names it, UTF-8. Where they are in none, in the first that is known.
 */
export const textOf = (bytes, headers, declared = "utf-8") => {
  const named = charsetOf(headers.get("content-type"))
  // Servers name ASCII that know nothing of the document. What reads as ASCII is not in UTF-16, whatever it says.
  const told = [
    named === "us-ascii" ? undefined : named,
    declared.toLowerCase().startsWith("utf-16") ? undefined : declared
  ]
  const encodings = [shownEncodingOf(bytes), ...told, "utf-8", named].filter((encoding) => encoding !== undefined)
  for (const fatal of [true, false]) {
    for (const encoding of encodings) {
      const text = decoded(bytes, encoding, fatal)
      if (text !== undefined) return text
    }
  }
}

/** What is kept of answers has its bounds: a longer validator is none. */
const shortOf = (header) => header === null || header.length > 300 ? undefined : header

/**
 * GETs a URL, whole or not at all.
 *
 * @param validators of the answer that is known, as an earlier call gave them: then the status may be 304
 */
export const get = async (url, options = {}) => {
  const { headers = {}, maxBytes = 5 * 1024 * 1024, timeoutSeconds = 30, validators = {} } = options
  const conditions = {
    ...(validators.etag ? { "if-none-match": validators.etag } : {}),
    ...(validators.lastModified ? { "if-modified-since": validators.lastModified } : {})
  }
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    const response = await fetch(url, { headers: { ...conditions, ...headers }, signal })
    const bytes = await readUpTo(response.body, maxBytes)
    return {
      url: response.url,
      status: response.status,
      headers: response.headers,
      bytes,
      get text() {
        return textOf(bytes, response.headers)
      },
      validators: {
        etag: shortOf(response.headers.get("etag")),
        lastModified: shortOf(response.headers.get("last-modified"))
      }
    }
  } catch (cause) {
    const why = signal.aborted ? `no answer within ${timeoutSeconds} seconds` : cause.message
    throw new Error(`GET ${shown(url)}: ${why}`, { cause })
  }
}

/** The same, but an answer without success is an error. */
export const getOk = async (url, options) => {
  const answer = await get(url, options)
  if (answer.status === 304 || (answer.status >= 200 && answer.status < 300)) return answer
  const said = answer.text.slice(0, 200).trim()
  throw new Error(`GET ${shown(url)}: the answer is ${answer.status}${said && `: ${said}`}`)
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const send = async (url, { body, headers, method, timeoutSeconds }) => {
  const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(timeoutSeconds * 1000) })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${method} ${shown(new URL(url).origin)}: the answer is ${response.status}`)
  return response.status
}

/**
 * Sends a request until it is taken, once more after each of the pauses: an event comes to a source but one time.
 *
 * @returns the status of the answer
 */
export const sendUntilTaken = async (url, { pausesSeconds, ...request }) => {
  for (const seconds of pausesSeconds) {
    try {
      return await send(url, request)
    } catch (error) {
      console.log(`${error.message}; trying again in ${seconds} s`)
      await pause(seconds)
    }
  }
  return await send(url, request)
}
