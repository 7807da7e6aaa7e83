/** An endpoint on loopback that answers each HTTP/1.1 request by the bytes that it is given. */
import { Effect } from "effect"
import type { Scope } from "effect/Scope"
import * as Net from "node:net"
import { type Listening, listening } from "./Listening.ts"

export interface RawHttp extends Listening<Net.Server> {
  /** How many requests have come to it. */
  readonly requests: () => number
}

/** @param answer is called with each request that is whole, which is the `count`-th of its connection, from 1 */
export const make = (
  answer: (socket: Net.Socket, count: number) => void
): Effect.Effect<RawHttp, never, Scope> => {
  let requests = 0
  return Effect.map(
    listening(() =>
      Net.createServer((socket) => {
        let received = ""
        let count = 0
        socket.on("data", (chunk) => {
          received += chunk.toString("latin1")
          const head = received.indexOf("\r\n\r\n")
          const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
          if (head === -1 || received.length < head + 4 + length) return
          received = received.slice(head + 4 + length)
          requests += 1
          count += 1
          answer(socket, count)
        })
      })
    ),
    (endpoint) => ({ ...endpoint, requests: () => requests })
  )
}

export const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
