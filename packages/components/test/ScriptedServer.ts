import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import * as Net from "node:net"

/** A server on loopback that answers lines by a script: for what a good one never says. */
export interface ScriptedServer {
  readonly port: number
  /** The lines it got, in order. */
  readonly asked: ReadonlyArray<string>
}

/**
 * @param answers lines to answer with, by what a client's line begins with after its tag; `TAG` in them stands for that
 *   tag, and `CLOSE` closes the connection. They may change while it runs. Any other line gets no answer.
 */
export const make = (
  greeting: string,
  answers: Readonly<Record<string, ReadonlyArray<string>>>
): Effect.Effect<ScriptedServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const answer = (socket: Net.Socket, line: string) => {
      asked.push(line)
      const [, tag, text] = /^([a-z]\d+ )?(.*)$/.exec(line)!
      const [, lines] = Object.entries(answers).find(([start]) => `${text} `.startsWith(`${start} `)) ?? []
      for (const each of lines ?? []) {
        if (each === "CLOSE") socket.end()
        else socket.write(`${each.replace("TAG ", tag ?? "")}\r\n`)
      }
    }
    const server = Net.createServer((socket) => {
      socket.on("error", () => {})
      let pending = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (pending + chunk).split("\r\n")
        pending = lines.pop()!
        for (const line of lines) answer(socket, line)
      })
      socket.write(`${greeting}\r\n`)
    })
    return { port: yield* Loopback.listen(server), asked }
  })
