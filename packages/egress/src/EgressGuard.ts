import { BoundedMap } from "@headwater/domain/BoundedMap"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Host, NetAddress } from "effect/net"
import * as Net from "node:net"
import * as EgressAllowList from "./EgressAllowList.ts"
import { type Asker, type DnsFailed, NameResolver, type NameResolverOptions } from "./NameResolver.ts"
import { whyNotPublic } from "./PublicAddress.ts"

const howToAllow = "The operator can allow it with HEADWATER_EGRESS_ALLOW"

/** The guard does not let this target through. `why` is for programs, `message` for people. */
export class EgressRefused extends Schema.TaggedError<EgressRefused>()("EgressRefused", {
  host: Schema.String,
  address: Schema.optionalKey(Schema.String),
  why: Schema.Literals(["address", "url", "scheme", "host", "port"]),
  message: Schema.String
}) {}

/**
 * None of the checked addresses accepted a connection. `code` is the system's, such as `ECONNREFUSED` or `ETIMEDOUT`.
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  host: Schema.String,
  port: Schema.Int,
  address: Schema.String,
  code: Schema.String,
  message: Schema.String
}) {}

export interface EgressTarget {
  readonly host: string
  readonly port: number
}

/** The time limit for an address to accept a connection, in milliseconds. */
const connectTimeoutMillis = 10_000

/** The check that every connection made for a user passes (`delivery.md`, "The egress guard"). */
export class EgressGuard extends Context.Service<EgressGuard, {
  /** Checks a URL at registration: scheme, host, and a literal address. Names are only resolved by an attempt. */
  checkUrl(url: string): Effect.Effect<URL, EgressRefused>
  /** The answer of `checkUrl`. The same URL is the same object for as long as it is remembered. */
  judgeUrl(url: string): Result.Result<URL, EgressRefused>
  /** The addresses of a host, in the resolver's order, once every one of them was found to be allowed. */
  resolve(host: string, asker: Asker): Effect.Effect<ReadonlyArray<string>, EgressRefused | DnsFailed>
  /** The answer of `resolve` if nobody has to be asked for it: the host is an address or a name resolved lately. */
  resolveKnown(host: string): Result.Result<ReadonlyArray<string>, EgressRefused | DnsFailed> | undefined
  /** Resolves, checks, and connects to a checked address, trying them in order. The caller owns the socket. */
  connect(target: EgressTarget, asker: Asker): Effect.Effect<Net.Socket, EgressRefused | DnsFailed | ConnectFailed>
  /** Connects to addresses that `resolve` returned for the same attempt, without another check. */
  connectChecked(
    target: EgressTarget,
    addresses: ReadonlyArray<string>
  ): Effect.Effect<Net.Socket, ConnectFailed>
}>()("@headwater/egress/EgressGuard") {
  /** The guard with a resolver of its own. */
  static readonly layer = (
    allow: EgressAllowList.EgressAllowList,
    names: NameResolverOptions = {}
  ): Layer.Layer<EgressGuard> => EgressGuard.layerNoNames(allow).pipe(Layer.provide(NameResolver.layer(names)))

  /** The guard over a given resolver. */
  static readonly layerNoNames = (
    allow: EgressAllowList.EgressAllowList
  ): Layer.Layer<EgressGuard, never, NameResolver> =>
    Layer.effect(EgressGuard, Effect.map(NameResolver, (names) => make(allow, names)))
}

const make = (allow: EgressAllowList.EgressAllowList, names: NameResolver["Service"]): EgressGuard["Service"] => {
  const checkAddress = (
    host: string,
    address: NetAddress.IpAddress
  ): Result.Result<string, EgressRefused> => {
    const why = whyNotPublic(address)
    const text = NetAddress.formatIp(address)
    if (why === undefined || EgressAllowList.allowsAddress(allow, address)) return Result.succeed(text)
    return Result.fail(
      new EgressRefused({
        host,
        address: text,
        why: "address",
        message: host === text
          ? `The egress guard refused ${text}: it is not a public address (${why}). ${howToAllow}`
          : `The egress guard refused ${host}: it resolves to ${text}, which is not a public address (${why}). ${howToAllow}`
      })
    )
  }

  /** Checked addresses, by the objects that `canonicalHost` remembers. */
  const literals = new WeakMap<NetAddress.IpAddress, Result.Result<ReadonlyArray<string>, EgressRefused>>()

  const checkLiteral = (address: NetAddress.IpAddress): Result.Result<ReadonlyArray<string>, EgressRefused> => {
    const before = literals.get(address)
    if (before !== undefined) return before
    const checked = Result.map(checkAddress(NetAddress.formatIp(address), address), (text) => [text])
    literals.set(address, checked)
    return checked
  }

  const checkAll = (
    name: string,
    addresses: ReadonlyArray<NetAddress.IpAddress>
  ): Result.Result<ReadonlyArray<string>, EgressRefused> => {
    if (EgressAllowList.allowsHost(allow, name)) return Result.succeed(addresses.map(NetAddress.formatIp))
    const checked: Array<string> = []
    for (const address of addresses) {
      const one = checkAddress(name, address)
      if (Result.isFailure(one)) return Result.fail(one.failure)
      checked.push(one.success)
    }
    return Result.succeed(checked)
  }

  const resolve = (input: string, asker: Asker): Effect.Effect<ReadonlyArray<string>, EgressRefused | DnsFailed> =>
    Effect.flatMap(Effect.fromResult(canonicalHost(input)), (host) =>
      NetAddress.isIpAddress(host)
        ? Effect.fromResult(checkLiteral(host))
        : Effect.flatMap(names.lookup(host, asker), (addresses) =>
          Effect.fromResult(checkAll(Host.toRelative(host), addresses))))

  const resolveKnown = (input: string): Result.Result<ReadonlyArray<string>, EgressRefused | DnsFailed> | undefined => {
    const canonical = canonicalHost(input)
    if (Result.isFailure(canonical)) return Result.fail(canonical.failure)
    const host = canonical.success
    if (NetAddress.isIpAddress(host)) return checkLiteral(host)
    const known = names.known(host)
    return known === undefined
      ? undefined
      : Result.flatMap(known, (addresses) => checkAll(Host.toRelative(host), addresses))
  }

  const connectChecked = Effect.fnUntraced(function*(
    target: EgressTarget,
    addresses: ReadonlyArray<string>
  ): Effect.fn.Return<Net.Socket, ConnectFailed> {
    let failure: ConnectFailed | undefined
    for (const address of addresses) {
      const result = yield* Effect.result(dial(target, address))
      if (Result.isSuccess(result)) return result.success
      failure = result.failure
    }
    return yield* failure ?? connectFailed(target, "", "ENOTFOUND", "no address to connect to")
  })

  const connect = Effect.fnUntraced(function*(target: EgressTarget, asker: Asker) {
    if (!Number.isInteger(target.port) || target.port < 1 || target.port > 65535) {
      return yield* new EgressRefused({
        host: target.host,
        why: "port",
        message: `The egress guard refused port ${target.port}`
      })
    }
    return yield* connectChecked(target, yield* resolve(target.host, asker))
  })

  const judgeUrl = remembered((text): Result.Result<URL, EgressRefused> => {
    const url = URL.parse(text)
    if (url === null) {
      return Result.fail(new EgressRefused({ host: "", why: "url", message: "Not a valid absolute URL" }))
    }
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return Result.fail(
        new EgressRefused({
          host: url.hostname,
          why: "scheme",
          message: `Only http and https URLs are allowed, not ${url.protocol.slice(0, -1)}`
        })
      )
    }
    return Result.flatMap(canonicalHost(url.hostname), (host) =>
      NetAddress.isIpAddress(host)
        ? Result.map(checkLiteral(host), () => url)
        : Result.succeed(url))
  })

  const checkUrl = (text: string) => Effect.fromResult(judgeUrl(text))

  return EgressGuard.of({ checkUrl, judgeUrl, resolve, resolveKnown, connect, connectChecked })
}

const mostRemembered = 1_000
const longestRemembered = 2_048

/**
 * Remembers answers of a function that always answers the same to a text and is asked about few texts again and again.
 */
const remembered = <A>(answer: (text: string) => A) => {
  const known = new BoundedMap<string, A>(mostRemembered)
  return (text: string): A => {
    const before = known.get(text)
    if (before !== undefined) return before
    const fresh = answer(text)
    if (text.length <= longestRemembered) known.set(text, fresh)
    return fresh
  }
}

/**
 * The host as a URL parser understands it, so that decimal, octal, hexadecimal and short IPv4 spellings and full-width
 * digits are seen as the address they mean (WHATWG URL, "host parsing") and never reach the resolver as names.
 */
const canonicalHost = remembered((input): Result.Result<NetAddress.IpAddress | Host.DomainName, EgressRefused> => {
  const bare = input.startsWith("[") && input.endsWith("]") ? input.slice(1, -1) : input
  const hostname = /[/?#@\\\s]/.test(bare) || bare.includes("%")
    ? undefined
    : URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`)?.hostname
  const host = hostname === undefined || hostname === ""
    ? undefined
    : Host.hostFromString(hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)
  if (host === undefined || Result.isFailure(host) || NetAddress.isScopedIpv6Literal(host.success)) {
    return Result.fail(new EgressRefused({ host: input, why: "host", message: `"${input}" is not a valid host` }))
  }
  return Result.succeed(host.success)
})

const connectFailed = (target: EgressTarget, address: string, code: string, message: string) =>
  new ConnectFailed({ host: target.host, port: target.port, address, code, message })

const dial = (target: EgressTarget, address: string): Effect.Effect<Net.Socket, ConnectFailed> =>
  Effect.callback<Net.Socket, ConnectFailed>((resume) => {
    const socket = Net.connect({ host: address, port: target.port, noDelay: true })
    const onError = (error: NodeJS.ErrnoException) => {
      socket.destroy()
      resume(Effect.fail(connectFailed(target, address, error.code ?? "ECONNFAILED", error.message)))
    }
    socket.once("error", onError)
    socket.once("connect", () => {
      socket.off("error", onError)
      // Between here and its owner's own listener an error would end the process; the owner sees the close instead.
      socket.on("error", () => {})
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectTimeoutMillis,
      orElse: () =>
        Effect.fail(
          connectFailed(
            target,
            address,
            "ETIMEDOUT",
            `${address}:${target.port} did not accept the connection within ${connectTimeoutMillis} ms`
          )
        )
    })
  )
