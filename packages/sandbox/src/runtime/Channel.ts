/**
 * The private line to the host: one JSON message a line, over standard input and output.
 *
 * Component code shares this process and can write to standard output itself, so each of our lines begins with a secret
 * that stays in this module, and with a line end, which closes whatever was written before. What the secret passes
 * through is captured before any component code is loaded, so that replacing a prototype's method does not show it.
 */

declare const Deno: {
  readonly stdin: { read(buffer: Uint8Array): Promise<number | null> }
  readonly stdout: { writeSync(bytes: Uint8Array): number }
  readonly exit: (code: number) => never
}

const { stringify, parse } = JSON
const encoder = new TextEncoder()
const encode = encoder.encode.bind(encoder)
const Bytes = Uint8Array<ArrayBuffer>
const { call } = Function.prototype
const membersOfBytes = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Uint8Array.prototype)) as Record<
  "buffer" | "length",
  PropertyDescriptor
>
const bufferOf = call.bind(membersOfBytes.buffer.get!) as (bytes: Uint8Array<ArrayBuffer>) => ArrayBuffer
const lengthOf = call.bind(membersOfBytes.length.get!) as (bytes: Uint8Array) => number
const writeSync = Deno.stdout.writeSync.bind(Deno.stdout)
const read = Deno.stdin.read.bind(Deno.stdin)
const exit = Deno.exit

let secret = ""

/** Sends one message. Returns when the host's pipe has taken it, so that nothing said before a crash is lost. */
export const send = (message: object): void => {
  const bytes = encode(`\n${secret}${stringify(message)}\n`)
  const length = lengthOf(bytes)
  let written = writeSync(bytes)
  while (written < length) {
    written += writeSync(new Bytes(bufferOf(bytes), written, length - written))
  }
}

/** Reads the host's messages until it goes away, which ends the process. The first line is the secret. */
export const receive = async (onMessage: (message: Record<string, unknown>) => void): Promise<never> => {
  const decoder = new TextDecoder()
  const buffer = new Uint8Array(256 * 1024)
  let pending = ""
  while (true) {
    const count = await read(buffer)
    if (count === null) return exit(0)
    const text = decoder.decode(buffer.subarray(0, count), { stream: true })
    let from = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      const line = pending + text.slice(from, end)
      pending = ""
      from = end + 1
      if (secret === "") {
        secret = line
        continue
      }
      let message: Record<string, unknown>
      try {
        message = parse(line) as Record<string, unknown>
      } catch {
        // Component code has read some of it: what is left makes no sense, and the host does everything again.
        return exit(1)
      }
      onMessage(message)
    }
    pending += text.slice(from)
  }
}
