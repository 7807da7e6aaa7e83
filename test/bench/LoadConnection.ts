import { connect, type Socket } from "node:net"

/**
 * One kept-alive HTTP/1.1 connection that sends one request at a time. It reads of an answer what a load needs, its
 * status and its end, and so costs little beside what is measured: they share the machine's cores.
 */
export class LoadConnection {
  readonly #socket: Socket
  readonly #answered: (status: number) => void
  #received = ""

  /** @param handlers.answered called with a status for each request, or with 0 when the connection is gone */
  constructor(address: { readonly host: string; readonly port: number }, handlers: {
    readonly answered: (status: number) => void
  }) {
    this.#answered = handlers.answered
    this.#socket = connect({ ...address, noDelay: true })
    this.#socket.setEncoding("latin1")
    this.#socket.on("data", (chunk) => this.#hear(String(chunk)))
    this.#socket.on("error", () => this.#socket.destroy())
    this.#socket.on("close", () => this.#answered(0))
  }

  send(request: string): void {
    this.#socket.write(request, "latin1")
  }

  close(): void {
    this.#socket.removeAllListeners("close")
    this.#socket.destroy()
  }

  #hear(chunk: string): void {
    this.#received = this.#received === "" ? chunk : this.#received + chunk
    const head = this.#received.indexOf("\r\n\r\n")
    if (head < 0) return
    const length = /^content-length: *(\d+)/im.exec(this.#received.slice(0, head))
    const isComplete = length === null
      ? this.#received.endsWith("\r\n0\r\n\r\n")
      : this.#received.length >= head + 4 + Number(length[1])
    if (!isComplete) return
    const status = Number(this.#received.slice(9, 12))
    this.#received = ""
    this.#answered(status)
  }
}
