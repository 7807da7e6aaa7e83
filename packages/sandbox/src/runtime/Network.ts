/**
 * Routes what component code connects to through the host: for every connection it is asked for a ticket, which the
 * guard gives or refuses, and the socket is then connected to the broker's port and begins with that ticket. The host
 * trusts none of this: without a ticket the broker's port leads nowhere, and no other port can be reached at all.
 */
import http from "node:http"
import https from "node:https"
import net from "node:net"
import tls from "node:tls"
import { inspect } from "node:util"
import { heldConnection, ofHttp } from "./Holding.ts"
import * as Questions from "./Questions.ts"

const lookupCall = "getaddrinfo"

/** That a name can't be resolved, as Node says it: of a look-up in the system's codes, of a query in those of DNS. */
const unresolved = (host: string, code: string, call: string) => {
  const isLookup = call === lookupCall
  const isTold = code === "ENOTFOUND" || (!isLookup && code !== "EAI_AGAIN")
  const found = isTold ? code : isLookup ? "EAI_AGAIN" : "ESERVFAIL"
  return Object.assign(new Error(`${call} ${found} ${host}`), {
    errno: !isLookup ? undefined : found === "ENOTFOUND" ? -3008 : -3001,
    code: found,
    syscall: call,
    hostname: host
  })
}

const isOfResolver = (code: string): boolean => code === "ENOTFOUND" || code === "ETIMEOUT" || code === "EAI_AGAIN"

const ask = async (
  question: { readonly _tag: string; readonly host: string; readonly port?: number },
  call = lookupCall
): Promise<Questions.Answer> => {
  const answer = await Questions.ask(question)
  const { error } = answer
  if (error === undefined) return answer
  const { code, message } = error
  if (isOfResolver(code)) throw unresolved(question.host, code, call)
  throw Object.assign(new Error(message), { code, hostname: question.host, port: question.port })
}

const resolveHost = async (host: string, call?: string): Promise<ReadonlyArray<string>> =>
  (await ask({ _tag: "Resolve", host }, call)).addresses ?? []

interface Handle {
  readonly _parent?: Handle
  writeLatin1String(request: object, text: string): number
}

/** The parts of a socket that Deno's `node:net` shares with Node's without being documented. */
interface OpenSocket extends net.Socket {
  connecting: boolean
  readonly _handle: Handle
}

type NormalizedArguments = [options: net.TcpNetConnectOpts & { path?: string }, listener: (() => void) | null]

const normalizeArguments =
  (net as unknown as { _normalizeArgs(values: ReadonlyArray<unknown>): NormalizedArguments })._normalizeArgs

const invalid = (error: Error, code: string) => Object.assign(error, { code })

/** As Node refuses it, at once: the host would not understand the question. */
const portOf = ({ port, path }: { readonly port?: unknown; readonly path?: unknown }): number => {
  if (port === undefined && path === undefined) {
    throw invalid(new TypeError(`The "options" or "port" or "path" argument must be specified`), "ERR_MISSING_ARGS")
  }
  if (typeof port !== "number" && typeof port !== "string") {
    const message = `The "options.port" property must be one of type number or string. Received ${inspect(port)}`
    throw invalid(new TypeError(message), "ERR_INVALID_ARG_TYPE")
  }
  const number = String(port).trim() === "" ? Number.NaN : Number(port)
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number
  throw invalid(
    new RangeError(`Port should be >= 0 and < 65536. Received ${inspect(port)}.`),
    "ERR_SOCKET_BAD_PORT"
  )
}

const textOf = (value: unknown, name: string): string => {
  if (typeof value === "string") return value
  const message = `The "${name}" argument must be of type string. Received ${inspect(value)}`
  throw invalid(new TypeError(message), "ERR_INVALID_ARG_TYPE")
}

/** Below TLS, so that the ticket goes before the handshake; a `connect` listener set first writes first. */
const writeTicket = (socket: OpenSocket, ticket: string) => {
  const handle = socket instanceof tls.TLSSocket ? socket._handle._parent ?? socket._handle : socket._handle
  handle.writeLatin1String({ oncomplete: () => {}, handle }, ticket)
}

const routeSockets = (brokerPort: number) => {
  const connect = net.Socket.prototype.connect
  const open = async (socket: OpenSocket, options: NormalizedArguments[0], host: string, port: number) => {
    const { ticket = "" } = await ask({ _tag: "Connect", host, port })
    if (socket.destroyed) return
    socket.prependOnceListener("connect", () => writeTicket(socket, ticket))
    const { keepAlive, noDelay } = options
    const broker = { host: "127.0.0.1", port: brokerPort, autoSelectFamily: false, keepAlive, noDelay }
    Reflect.apply(connect, socket, [broker])
  }
  const routed = function(this: OpenSocket, ...values: Array<unknown>) {
    const [options, listener] = normalizeArguments(Array.isArray(values[0]) ? values[0] as Array<unknown> : values)
    const isUnix = options.path !== undefined && options.path !== null
    const port = isUnix ? 0 : portOf(options)
    const host = textOf(options.host || "localhost", "options.host")
    if (listener !== null) this.once("connect", listener)
    this.connecting = true
    const held = heldConnection(host, port)
    if (held !== undefined) {
      process.nextTick(() => this.destroy(held))
      return this
    }
    if (isUnix) {
      const error = Object.assign(new Error("Unix sockets are not available to components"), { code: "EACCES" })
      process.nextTick(() => this.destroy(error))
      return this
    }
    void open(this, options, host, port).catch((error: Error) => this.destroy(error))
    return this
  }
  Object.defineProperty(net.Socket.prototype, "connect", { value: routed, writable: true, configurable: true })
}

/** The agent's own would ask for a permission to read the system's certificates. */
const routeHttpsAgent = () => {
  Object.defineProperty(https.Agent.prototype, "createConnection", {
    value(options: tls.ConnectionOptions, listener?: () => void) {
      const socket = ofHttp(() => tls.connect(options))
      if (listener !== undefined) socket.once("secureConnect", listener)
      return socket
    },
    writable: true,
    configurable: true
  })
}

const isFamily = (address: string, family: unknown): boolean =>
  family === 4 || family === "IPv4"
    ? net.isIPv4(address)
    : family === 6 || family === "IPv6"
    ? net.isIPv6(address)
    : true

const lookup = async (host: string, given?: number | { family?: unknown; all?: boolean }) => {
  const options = typeof given === "number" ? { family: given } : given ?? {}
  // Node takes none for no name, and answers so.
  if (!host) return { all: options.all === true ? [] : undefined, first: { address: null, family: 4 } }
  const found = (await resolveHost(host))
    .filter((address) => isFamily(address, options.family))
    .map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 }))
  const first = found[0]
  if (first === undefined) throw unresolved(host, "ENOTFOUND", lookupCall)
  return { all: options.all === true ? found : undefined, first }
}

/** Refuses at once what is neither a name nor nothing. */
const nameOf = (host: unknown): string => host ? textOf(host, "hostname") : ""

const resolveFamily = (family: 4 | 6) => async (name: string): Promise<ReadonlyArray<string>> => {
  const host = textOf(name, "name")
  const call = `query${family === 4 ? "A" : "Aaaa"}`
  const found = (await resolveHost(host, call)).filter((address) => isFamily(address, family))
  if (found.length === 0) throw unresolved(host, "ENODATA", call)
  return found
}

type Callback = (error: Error | null, ...values: Array<unknown>) => void

/** Calls back outside of the promise, so that what the callback throws is not taken for a failure of the look-up. */
const withCallback = <A>(promise: Promise<A>, callback: unknown, spread: (value: A) => Array<unknown>) => {
  const later = (...values: Parameters<Callback>) => process.nextTick(callback as Callback, ...values)
  void promise.then((value) => later(null, ...spread(value)), later)
}

/** A connection that a client of HTTP asks for says by its request whether it only reads. */
const markHttpAgent = () => {
  const { createConnection } = http.Agent.prototype
  Object.defineProperty(http.Agent.prototype, "createConnection", {
    value(this: http.Agent, ...values: Array<unknown>) {
      return ofHttp(() => Reflect.apply(createConnection, this, values))
    },
    writable: true,
    configurable: true
  })
}

const routeDns = () => {
  // Imported as a module before it is changed, it would give others its own members.
  const dns = process.getBuiltinModule("node:dns")
  const set = (target: object, members: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(target, name, { value, writable: true, configurable: true })
    }
  }
  set(dns, {
    lookup: (host: string, ...rest: Array<unknown>) =>
      withCallback(
        lookup(nameOf(host), typeof rest[0] === "function" ? undefined : rest[0] as { family?: number }),
        rest.at(-1),
        ({ all, first }) => all === undefined ? [first.address, first.family] : [all]
      ),
    resolve4: (host: string, ...rest: Array<unknown>) =>
      withCallback(resolveFamily(4)(textOf(host, "name")), rest.at(-1), (_) => [_]),
    resolve6: (host: string, ...rest: Array<unknown>) =>
      withCallback(resolveFamily(6)(textOf(host, "name")), rest.at(-1), (_) => [_])
  })
  set(dns.promises, {
    lookup: async (host: string, options?: number | { family?: number; all?: boolean }) => {
      const { all, first } = await lookup(nameOf(host), options)
      return all ?? first
    },
    resolve4: resolveFamily(4),
    resolve6: resolveFamily(6)
  })
}

export const routeNetwork = (brokerPort: number): void => {
  routeSockets(brokerPort)
  markHttpAgent()
  routeHttpsAgent()
  routeDns()
}
