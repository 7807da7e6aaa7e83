import { Effect, Fiber, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import * as Dns from "node:dns"

/** The answer of name servers about a full name: its addresses, IPv4 before IPv6, and none if it has none. */
export interface NameAnswer {
  readonly addresses: ReadonlyArray<NetAddress.IpAddress>
  /** The time for which the answer holds; undefined if there are no addresses, or no answer about IPv4. */
  readonly ttlMillis: number | undefined
}

/** `c-ares` waits so long for a name server, and asks each so often. */
const patience = { timeout: 2_000, maxTimeout: 2_000, tries: 3 }

/** Codes by which `c-ares` says that a name is not there, has no address of the kind, or can't be a name. */
const notThere = new Set(["ENOTFOUND", "ENODATA", "EBADNAME", "ENONAME"])

type Records = ReadonlyArray<Dns.RecordWithTtl>
/** Records, or the code of what went wrong. */
type Half = Result.Result<Records, string>

/**
 * The time that an answer about IPv4 waits for that about IPv6, which some name servers never give, in milliseconds.
 */
const sixMillis = 500

/**
 * The name servers, asked through `c-ares`: on sockets of its own, without a thread, and as many questions at a time as
 * come. The system's resolver (`getaddrinfo`) would take a thread for each, of which there are four.
 */
export class NameServers {
  private readonly addresses: ReadonlyArray<string>
  private resolver: Dns.Resolver

  /** @param addresses as in `127.0.0.1:53`; the system's where none are given */
  constructor(addresses: ReadonlyArray<string>) {
    this.addresses = addresses
    this.resolver = this.open()
  }

  private open(): Dns.Resolver {
    const resolver = new Dns.Resolver(patience)
    if (this.addresses.length > 0) resolver.setServers(this.addresses)
    return resolver
  }

  /** Reads the system's name servers again. Questions under way end with the servers that they were put to. */
  renew(): void {
    if (this.addresses.length === 0) this.resolver = this.open()
  }

  /** Ends all questions. */
  close(): void {
    this.resolver.cancel()
  }

  /** Asks for all addresses of a full name. Fails with the code of what went wrong where none of them is known. */
  ask(name: string): Effect.Effect<NameAnswer, string> {
    return Effect.gen({ self: this }, function*() {
      const asked = yield* Effect.forkChild(this.half("resolve6", name))
      const four = yield* this.half("resolve4", name)
      const isEnough = Result.isSuccess(four) && four.success.length > 0
      const six = yield* isEnough
        ? Effect.timeoutOrElse(Fiber.join(asked), {
          duration: sixMillis,
          orElse: () => Effect.succeed<Half>(Result.succeed([]))
        })
        : Fiber.join(asked)
      const records = [four, six].flatMap((half) => Result.isSuccess(half) ? half.success : [])
      const failure = [four, six].find(Result.isFailure)
      if (records.length === 0 && failure !== undefined) return yield* Effect.fail(failure.failure)
      return {
        addresses: records.flatMap(({ address }) =>
          Option.toArray(Result.getSuccess(NetAddress.ipFromString(address)))
        ),
        ttlMillis: Result.isFailure(four) || records.length === 0
          ? undefined
          : Math.min(...records.map(({ ttl }) => ttl)) * 1_000
      }
    })
  }

  private half(method: "resolve4" | "resolve6", name: string): Effect.Effect<Half> {
    return Effect.callback((resume) => {
      this.resolver[method](name, { ttl: true }, (error, records) => {
        if (error === null) return resume(Effect.succeed(Result.succeed(records)))
        const code = error.code ?? "EUNKNOWN"
        resume(Effect.succeed(notThere.has(code) ? Result.succeed([]) : Result.fail(code)))
      })
    })
  }
}
