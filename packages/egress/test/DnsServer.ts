import * as NodeDns from "@effect/platform-node/NodeDns"
import * as Packet from "dns-packet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import type * as Host from "effect/net/Host"
import type * as NetAddress from "effect/net/NetAddress"
import type * as Scope from "effect/Scope"
import * as Dgram from "node:dgram"

/** A DNS server on the loopback interface, and the resolver that asks it. */
export interface DnsServer {
  readonly layer: Layer.Layer<Dns.Dns>
  /** How often a name was looked up. */
  readonly lookups: (name: string) => number
}

/** @param answer the addresses of a name when it is looked up for the `count`-th time, from 1; none where there is no such name */
export const make = (
  answer: (name: string, count: number) => ReadonlyArray<string>
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
          // The resolver below asks for IPv4 addresses first, once in each look-up.
          if (type === "A") counts.set(name, (counts.get(name) ?? 0) + 1)
          const family = type === "A" ? 4 : 6
          const addresses = answer(name, counts.get(name) ?? 1).filter((text) => text.includes(":") === (family === 6))
          socket.send(
            Packet.encode({
              type: "response",
              id: query.id ?? 0,
              flags: Packet.RECURSION_DESIRED | Packet.RECURSION_AVAILABLE,
              questions: [question],
              answers: addresses.map((data) => ({ type: family === 4 ? "A" : "AAAA", name, ttl: 0, data }))
            }),
            sender.port,
            sender.address
          )
        })
        socket.bind(0, "127.0.0.1", () => resume(Effect.succeed({ socket, counts })))
      }),
      ({ socket }) => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))
    ),
    ({ counts, socket }) => ({
      layer: Layer.effect(
        Dns.Dns,
        Effect.orDie(Effect.map(
          NodeDns.make({ nameServers: [`127.0.0.1:${socket.address().port}`], tries: 1 }),
          (dns) => {
            const find = (host: Host.DomainName, type: "A" | "AAAA") =>
              dns.resolve(host, type).pipe(
                Effect.map((records): ReadonlyArray<NetAddress.IpAddress> => records.map(({ address }) => address)),
                Effect.catchIf(({ reason }) => reason === "NotFound", () => Effect.succeed([]))
              )
            return Dns.make({
              lookup: (host) => Effect.zipWith(find(host, "A"), find(host, "AAAA"), (four, six) => [...four, ...six])
            })
          }
        ))
      ),
      lookups: (name) => counts.get(name) ?? 0
    })
  )
