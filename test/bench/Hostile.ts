/** The hostile account: sends the same large request over and over, each connection as soon as it has its answer. */
import { constants, setPriority } from "node:os"
import { hostile, type HostileRequest } from "./HostileCall.ts"
import { LoadConnection } from "./LoadConnection.ts"
import * as Program from "./Program.ts"

/** How long a connection rests after a refusal at least, in milliseconds. */
const refusedRestMs = 10

// A hostile account has machines of its own: what it costs to send is not to be taken from the healthy one's server.
setPriority(constants.priority.PRIORITY_LOW)

type Attack = Extract<HostileRequest, { readonly _tag: "Begin" }>

let answers: Record<string, number> = {}
let isOver = true
const connections = new Set<LoadConnection>()

const open = (target: URL, request: string, restMs: number) => {
  if (isOver) return
  const connection: LoadConnection = new LoadConnection({ host: target.hostname, port: Number(target.port) }, {
    answered: (status) => {
      answers[status] = (answers[status] ?? 0) + 1
      const goOn = () => {
        if (status === 0) open(target, request, restMs)
        else if (!isOver) connection.send(request)
      }
      if (status === 0) connections.delete(connection)
      const isRefused = status < 200 || status >= 300
      const ms = isRefused ? Math.max(restMs, refusedRestMs) : restMs
      if (ms === 0) goOn()
      else setTimeout(goOn, ms)
    }
  })
  connections.add(connection)
  connection.send(request)
}

const begin = (attack: Attack) => {
  const { body, headers, method, restMs, urls } = attack
  answers = {}
  isOver = false
  for (let i = 0; i < attack.connections; i++) {
    const target = new URL(urls[i % urls.length] ?? "")
    const head = [
      `${method} ${target.pathname}${target.search} HTTP/1.1`,
      `host: ${target.host}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === "" ? [] : [`content-length: ${body.length}`])
    ]
    open(target, `${head.join("\r\n")}\r\n\r\n${body}`, restMs)
  }
}

Program.serve(hostile, async (request) => {
  if (request._tag === "Begin") {
    begin(request)
    return {}
  }
  isOver = true
  for (const connection of connections) connection.close()
  connections.clear()
  return answers
})
