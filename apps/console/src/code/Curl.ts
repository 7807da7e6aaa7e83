const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Headers that curl sends by itself. */
const ownHeaders = new Set(["host", "content-length", "connection", "accept-encoding", "transfer-encoding"])

/** A shell command that sends the same request again. Secrets are not known here and appear as `***`. */
export const curl = ({ body, headers, method, url }: {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === "" ? [] : [`--data-binary ${quoted(body)}`])
  ].join(" \\\n  ")
