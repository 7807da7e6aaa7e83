import type { Socket } from "node:net"

/** Of the messages that ask for an answer: a simple query, and the end of an extended one. */
const asks = new Set(["Q", "S"].map((type) => type.charCodeAt(0)))

/** The server is ready for the next. */
const ready = "Z".charCodeAt(0)

const typeBytes = 1
const lengthBytes = 4

/** The types of messages in a stream of bytes, however it is cut up (PostgreSQL, "Message Formats"). */
class MessageTypes {
  /** Of a message, until it is whole. */
  private readonly head = Buffer.alloc(typeBytes + lengthBytes)
  private headLength: number
  /** The bytes that are left of the body of the message under way. */
  private left = 0

  /** @param isTyped whether the first message has a type, which that of a client has not */
  constructor(isTyped: boolean) {
    this.headLength = isTyped ? 0 : typeBytes
  }

  read(bytes: Uint8Array, onMessage: (type: number) => void): void {
    let at = 0
    while (at < bytes.length) {
      if (this.left > 0) {
        const taken = Math.min(this.left, bytes.length - at)
        this.left -= taken
        at += taken
        continue
      }
      this.head[this.headLength] = bytes[at]!
      this.headLength += 1
      at += 1
      if (this.headLength < this.head.length) continue
      onMessage(this.head[0]!)
      this.left = this.head.readUInt32BE(typeBytes) - lengthBytes
      this.headLength = 0
      this.head[0] = 0
    }
  }
}

/**
 * Listens to what a client and a Postgres say to each other over a socket.
 *
 * @param begin called for each question; what it answers is called when that is answered, or the socket is closed
 */
export const watch = (socket: Socket, begin: () => () => void): void => {
  const underWay: Array<() => void> = []
  const sent = new MessageTypes(false)
  const received = new MessageTypes(true)
  const write = socket.write
  // The first answer of a connection is to no question of these, but to its start.
  underWay.push(begin())
  socket.write = function(this: Socket, ...values: ReadonlyArray<unknown>) {
    const [chunk] = values
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk as Uint8Array
    sent.read(bytes, (type) => {
      if (asks.has(type)) underWay.push(begin())
    })
    return Reflect.apply(write, this, values) as boolean
  } as Socket["write"]
  socket.on("data", (bytes) => {
    received.read(bytes as Buffer, (type) => {
      if (type === ready) underWay.shift()?.()
    })
  })
  socket.once("close", () => {
    for (const end of underWay.splice(0)) end()
  })
}
