import * as Charset from "@headwater/domain/Charset"

/** One parameter behind a header's value; a quoted one may hold the backslashes of a file's path. */
const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;]*))/g

/** A text with its charset, as `UTF-8''%e2%82%ac` (RFC 8187, 3.2.1). */
const extended = /^([^'\s]+)'[^']*'(.*)$/s

const unescaped = (text: string): string | undefined => {
  const [, charset, value = ""] = extended.exec(text) ?? []
  if (charset === undefined) return undefined
  const bytes = Buffer.from(
    value.replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1"
  )
  return Charset.decode(bytes, charset)
}

/**
 * The value under a name in a header such as `Content-Type` or `Content-Disposition`, without its quotes; `name*` of
 * RFC 8187 wins over `name`.
 */
export const parameterOf = (header: string, name: string): string | undefined => {
  let plain: string | undefined
  for (const [, found = "", quoted, token = ""] of header.matchAll(parameter)) {
    const value = quoted?.replaceAll(`\\"`, `"`) ?? token.trim()
    if (found.toLowerCase() === `${name}*`) return unescaped(value) ?? plain
    if (found.toLowerCase() === name) plain ??= value
  }
  return plain
}
