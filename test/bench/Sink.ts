/** The sink: answers webhooks' deliveries and notes when each event first came to each of them. */
import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as Program from "./Program.ts"
import { sink } from "./SinkCall.ts"

/** When a slow target answers, in milliseconds. */
const slowMs = 5_000

interface Tally {
  receivedAt: Array<number>
  distinct: number
  repeated: number
  malformed: number
}

const tallies = new Map<string, Tally>()
let from = 0
let bytes = 0

const tallyOf = (target: string): Tally => {
  const known = tallies.get(target)
  if (known !== undefined) return known
  const tally = { receivedAt: [], distinct: 0, repeated: 0, malformed: 0 }
  tallies.set(target, tally)
  return tally
}

const form = /^\{"seq":(\d+),"pad":"x*"\}$/

const note = (target: string, body: string) => {
  const tally = tallyOf(target)
  const match = body.length === bytes ? form.exec(body) : null
  if (match === null) {
    tally.malformed += 1
    return
  }
  const index = Number(match[1]) - from
  // Of an earlier piece, which has been settled.
  if (index < 0) return
  if (tally.receivedAt[index] !== undefined) {
    tally.repeated += 1
    return
  }
  tally.receivedAt[index] = MonotonicClock.now()
  tally.distinct += 1
}

const take = (request: IncomingMessage, response: ServerResponse) => {
  let body = ""
  request.setEncoding("latin1")
  request.on("data", (chunk) => {
    body += String(chunk)
  })
  request.on("end", () => {
    const [, manner, target] = (request.url ?? "").split("/")
    note(target ?? "", body)
    const answer = () => response.writeHead(200, { "content-length": "0" }).end()
    if (manner === "throttled") response.writeHead(429, { "content-length": "0", "retry-after": "1" }).end()
    else if (manner === "slow") setTimeout(answer, slowMs)
    else if (manner !== "silent") answer()
  })
}

/** Answers the port. */
const listen = (server: Pick<Server, "address" | "listen">, port = 0) =>
  new Promise<number>((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

let isUnavailable = false

const takeOrNot = (request: IncomingMessage, response: ServerResponse) => {
  if (!isUnavailable) return take(request, response)
  request.resume()
  request.on("end", () => response.writeHead(503, { "content-length": "0" }).end())
}

const server = createServer({ keepAliveTimeout: 60_000 }, take)
const secure = createSecureServer(
  { keepAliveTimeout: 60_000, key: TestCertificate.privateKey, cert: TestCertificate.certificate },
  take
)
const fragile = createServer({ keepAliveTimeout: 60_000 }, takeOrNot)
const listening = listen(server)
const listeningSecure = listen(secure)
const listeningFragile = listen(fragile)

const setOutage = async (kind: "none" | "unavailable" | "refused") => {
  isUnavailable = kind === "unavailable"
  const port = await listeningFragile
  if (kind === "refused") {
    fragile.close()
    fragile.closeAllConnections()
  } else if (!fragile.listening) await listen(fragile, port)
}

Program.serve(sink, async (request) => {
  const urls = {
    url: `http://127.0.0.1:${await listening}`,
    secureUrl: `https://127.0.0.1:${await listeningSecure}`,
    fragileUrl: `http://127.0.0.1:${await listeningFragile}`
  }
  if (request._tag === "Outage") {
    await setOutage(request.kind)
    return { ...urls, distinct: 0, targets: {} }
  }
  if (request._tag === "Begin") {
    tallies.clear()
    from = request.from
    bytes = request.bytes
    return { ...urls, distinct: 0, targets: {} }
  }
  const chosen = request.targets.map((name) => [name, tallyOf(name)] as const)
  const distinct = chosen.reduce((sum, [, tally]) => sum + tally.distinct, 0)
  if (request._tag === "Count") return { ...urls, distinct, targets: {} }
  const targets = chosen.map(([name, tally]) =>
    [name, {
      ...tally,
      receivedAt: Float64Array.from(tally.receivedAt, (at) => at ?? 0)
    }] as const
  )
  return { ...urls, distinct, targets: Object.fromEntries(targets) }
})
