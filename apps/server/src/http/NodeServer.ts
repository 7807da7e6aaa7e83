import { createServer, type Server } from "node:http"

/** What Node answers by itself to bytes it can't read as HTTP: the statuses it uses, as problems like any other. */
const problems: Record<string, { readonly status: number; readonly title: string; readonly detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, title: "Request header fields too large", detail: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: "Request timeout", detail: "The request took too long to arrive." }
}

const malformed = { status: 400, title: "Invalid request", detail: "This is not a request that can be read as HTTP." }

/**
 * A Node HTTP server whose own refusals have the shape of the API's problems (RFC 9457). What Node would refuse without
 * one is left to the API: a request without `Host`, and one that expects what no server knows.
 */
export const make = (): Server => {
  const server = createServer({ requireHostHeader: false })
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const { detail, status, title } = problems[error.code ?? ""] ?? malformed
    const code = status === 400 ? "invalid_request" : title.toLowerCase().replaceAll(" ", "_")
    const body = JSON.stringify({
      type: `urn:headwater:problem:${code}`,
      status,
      title,
      detail,
      error: detail,
      code,
      details: status === 400 ? [{ path: "", message: detail }] : {}
    })
    socket.end([
      `HTTP/1.1 ${status} ${title}`,
      "Content-Type: application/problem+json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body
    ].join("\r\n"))
  })
  return server
}
