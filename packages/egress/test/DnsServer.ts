import * as Packet from "dns-packet"
import { Effect, type Layer, type Scope } from "effect"
import * as Dgram from "node:dgram"
import { NameResolver } from "../src/NameResolver.ts"

/** A DNS server on the loopback interface, and the resolver that asks it. */
export interface DnsServer {
  /** Where it listens, as in `127.0.0.1:53`. */
  readonly address: string
  readonly layer: Layer.Layer<NameResolver>
  /** How often a name was looked up. */
  readonly lookups: (name: string) => number
}

/**
 * The addresses of a name, none where there is no such name; or that the server does not know, or never answers. With `four`
 * it never answers about IPv6 addresses.
 */
export type Answer = ReadonlyArray<string> | "failure" | "silence" | { readonly four: ReadonlyArray<string> }

const serverFailure = 2

/** @param answer what is said of a name when it is looked up for the `count`-th time, from 1 */
export const make = (
  answer: (name: string, count: number) => Answer,
  { ttl = 0 }: { readonly ttl?: number } = {}
): Effect.Effect<DnsServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly socket: Dgram.Socket; readonly counts: Map<string, number> }>((resume) => {
        const socket = Dgram.createSocket("udp4")
        const counts = new Map<string, number>()
        socket.on("message", (message, sender) => {
          const query = Packet.decode(message)
          const [question] = query.questions ?? []
          if (question === undefined) return
          const { name, type } = question
          // The resolver asks for IPv4 addresses first, once in each look-up.
          if (type === "A") counts.set(name, (counts.get(name) ?? 0) + 1)
          const family = type === "A" ? 4 : 6
          const said = answer(name, counts.get(name) ?? 1)
          if (said === "silence" || (typeof said === "object" && "four" in said && family === 6)) return
          const known = said === "failure" ? [] : "four" in said ? said.four : said
          const addresses = known.filter((text) => text.includes(":") === (family === 6))
          const flags = Packet.RECURSION_DESIRED | Packet.RECURSION_AVAILABLE
          socket.send(
            Packet.encode({
              type: "response",
              id: query.id ?? 0,
              flags: said === "failure" ? flags | serverFailure : flags,
              questions: [question],
              answers: addresses.map((data) => ({ type: family === 4 ? "A" : "AAAA", name, ttl, data }))
            }),
            sender.port,
            sender.address
          )
        })
        socket.bind(0, "127.0.0.1", () => resume(Effect.succeed({ socket, counts })))
      }),
      ({ socket }) => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))
    ),
    ({ counts, socket }) => {
      const address = `127.0.0.1:${socket.address().port}`
      return {
        address,
        layer: NameResolver.layer({ nameServers: [address], files: { hosts: "/dev/null", resolvConf: "/dev/null" } }),
        lookups: (name) => counts.get(name) ?? 0
      }
    }
  )
