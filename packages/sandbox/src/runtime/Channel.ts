/**
 * The private line to the host: one JSON message a line, over standard input and output.
 *
 * Component code shares this process and can write to standard output itself, so each of our lines begins with a secret
 * that stays in this module, and with a line end, which closes whatever was written before. All that the channel uses is
 * captured before any component code is loaded, so that replacing a prototype's method neither shows the secret nor keeps
 * the host's messages from being heard.
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
const { defineProperty } = Object
const NativePromise = Promise
const membersOfBytes = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Uint8Array.prototype)) as Record<
  "buffer" | "length",
  PropertyDescriptor
>
const bufferOf = call.bind(membersOfBytes.buffer.get!) as (bytes: Uint8Array<ArrayBuffer>) => ArrayBuffer
const lengthOf = call.bind(membersOfBytes.length.get!) as (bytes: Uint8Array) => number
const writeSync = Deno.stdout.writeSync.bind(Deno.stdout)
const read = Deno.stdin.read.bind(Deno.stdin)
const exit = Deno.exit

const decoder = new TextDecoder()
const decode = decoder.decode.bind(decoder)
const streaming = { __proto__: null, stream: true }
const indexOf = call.bind(String.prototype.indexOf) as (text: string, part: string, from?: number) => number
const slice = call.bind(String.prototype.slice) as (text: string, from: number, to?: number) => string

/** Awaiting a promise looks at its `constructor`, which component code can replace on the prototype. */
const guarded = <A>(promise: Promise<A>): Promise<A> =>
  defineProperty(promise, "constructor", { __proto__: null, value: NativePromise } as PropertyDescriptor)

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

/** Told of each message, and of the text that it was. */
type OnMessage = (message: Record<string, unknown>, line: string) => void

/** Reads the host's messages until it goes away, which ends the process. The first line is the secret. */
export const receive = async (onMessage: OnMessage): Promise<never> => {
  try {
    return await readAll(onMessage)
  } catch {
    // A process that hears nothing any more is of no use: the host does in another what this one was to do.
  }
  return exit(1)
}

const readAll = async (onMessage: OnMessage): Promise<never> => {
  const buffer = new Uint8Array(256 * 1024)
  const memory = bufferOf(buffer)
  let pending = ""
  while (true) {
    const count = await guarded(read(buffer))
    if (count === null) return exit(0)
    const text = decode(new Bytes(memory, 0, count), streaming)
    let from = 0
    for (let end = indexOf(text, "\n"); end !== -1; end = indexOf(text, "\n", from)) {
      const line = pending + slice(text, from, end)
      pending = ""
      from = end + 1
      // A line that is no JSON, because component code has read some of what the host wrote, ends the process too.
      if (secret === "") secret = line
      else onMessage(parse(line) as Record<string, unknown>, line)
    }
    pending += slice(text, from)
  }
}
