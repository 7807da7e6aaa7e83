/** A server in front of another one, of which a test sees the answers. */
import * as Loopback from "@headwater/fixtures/Loopback"
import type { IncomingMessage, ServerResponse } from "node:http"

export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: string
}

/**
 * @param url the other server
 * @param onAnswer answers whether the answer goes on to whoever asked, who waits for it otherwise
 * @returns the origin of the one in front
 */
export const make = (url: string, onAnswer: (answered: Answered) => boolean) => {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = "", "content-type": type = "" } = request.headers
    const { method = "GET", url: path = "/" } = request
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization, "content-type": type },
      ...(body.length === 0 ? {} : { body })
    })
    const text = await answer.text()
    if (!onAnswer({ method, path: path.split("?")[0]!, status: answer.status, body: text })) return
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
    response.end(text)
  }
  return Loopback.serve((request, response) => void pass(request, response))
}
