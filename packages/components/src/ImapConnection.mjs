/** As much of IMAP (RFC 3501, RFC 9051) as it takes to read a folder. */
import { connect as connectPlain } from "node:net"
import { connect as connectTls } from "node:tls"

const timeoutMillis = 60_000

/** How long a server may take to say goodbye. */
const goodbyeMillis = 5_000

/** What a server may send in answer to one command. */
const maxBytes = 16 * 1024 * 1024

const isAscii = (text) => /^[\x20-\x7e]*$/.test(text)

const quoted = (ascii) => `"${ascii.replace(/["\\]/g, "\\$&")}"`

/** What a server says to people, in UTF-8 and as long as it likes. */
const said = (text) => Buffer.from(text, "latin1").toString().slice(0, 500)

/** A folder's name as servers know it (RFC 3501, 5.1.3). */
const encodedName = (name) =>
  name.replaceAll("&", "&-").replace(/[^\x20-\x7e]+/g, (run) => {
    const base64 = Buffer.from(run, "utf16le").swap16().toString("base64")
    return `&${base64.replaceAll("=", "").replaceAll("/", ",")}-`
  })

/** Bytes of a socket as lines and runs of so many bytes. */
class Input {
  #chunks = []
  #size = 0
  #received = 0
  #failure
  #wake = () => {}

  /** Reads from this socket. What is left of an earlier one is not of it: it was not encrypted as this one may be. */
  attach(socket) {
    this.#chunks = []
    this.#size = 0
    const fail = (error) => {
      this.#failure ??= error
      this.#wake()
    }
    socket.on("data", (chunk) => {
      this.#chunks.push(chunk)
      this.#size += chunk.length
      this.#received += chunk.length
      if (this.#received > maxBytes) socket.destroy(new Error(`The server sends more than ${maxBytes} bytes at once.`))
      this.#wake()
    })
    socket.on("error", fail)
    socket.on("close", () => fail(new Error("The server closed the connection.")))
    socket.setTimeout(timeoutMillis, () => socket.destroy(new Error("The server does not answer.")))
  }

  /** Has what comes from now on count as an answer of its own. */
  startAnswer() {
    this.#received = 0
  }

  async #more() {
    if (this.#failure !== undefined) throw this.#failure
    await new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #take(size) {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks)
    this.#chunks = size < all.length ? [all.subarray(size)] : []
    this.#size -= size
    return all.subarray(0, size)
  }

  async bytes(size) {
    while (this.#size < size) await this.#more()
    return this.#take(size)
  }

  /** A line without its end. */
  async line() {
    for (let searched = 0, scanned = 0;;) {
      for (; scanned < this.#chunks.length; scanned++) {
        const at = this.#chunks[scanned].indexOf(10)
        if (at !== -1) return this.#take(searched + at + 1).toString("latin1").replace(/\r?\n$/, "")
        searched += this.#chunks[scanned].length
      }
      await this.#more()
    }
  }
}

/** The values in a response: lists as arrays, literals as bytes, NIL as null, all else as text. */
const valuesOf = (parts) => {
  const open = [[]]
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      open.at(-1).push(part)
      continue
    }
    for (const [token, inQuotes] of part.matchAll(/[()]|"((?:[^"\\]|\\.)*)"|(?:\[[^\]]*\]|[^\s()"[])+/g)) {
      if (token === "(") {
        const list = []
        open.at(-1).push(list)
        open.push(list)
      } else if (token === ")") {
        if (open.length > 1) open.pop()
      } else if (inQuotes !== undefined) open.at(-1).push(inQuotes.replace(/\\(.)/g, "$1"))
      else open.at(-1).push(token === "NIL" ? null : token)
    }
  }
  return open[0]
}

/** A connection to a server, one command at a time. */
export class ImapConnection {
  #input = new Input()
  #socket
  #tags = 0
  #isAuthenticated = false

  /**
   * @param security `tls`, `starttls` or `none`
   * @param options of TLS
   */
  static async open({ host, port, security, options }) {
    const self = new ImapConnection()
    const settings = { ...options, host, port, servername: /^[\d.]+$|:/.test(host) ? undefined : host }
    try {
      self.#use(security === "tls" ? connectTls(settings) : connectPlain({ host, port }))
      const [greeting] = await self.#response()
      if (!/^\* (OK|PREAUTH)\b/i.test(greeting)) throw new Error(`The server refuses: ${said(greeting)}`)
      self.#isAuthenticated = /^\* PREAUTH\b/i.test(greeting)
      if (security === "starttls") {
        await self.command("STARTTLS")
        self.#socket.removeAllListeners("data")
        self.#use(connectTls({ ...settings, socket: self.#socket }))
      }
      return self
    } catch (error) {
      self.#socket?.destroy()
      throw error
    }
  }

  #use(socket) {
    this.#socket = socket
    this.#input.attach(socket)
  }

  /** One response: its text, in parts where there are literals between them. */
  async #response() {
    const parts = []
    for (;;) {
      const line = await this.#input.line()
      const literal = /\{(\d+)\}$/.exec(line)
      if (literal === null) return [...parts, line]
      parts.push(line.slice(0, literal.index), await this.#input.bytes(Number(literal[1])))
    }
  }

  /**
   * Sends a command and answers the responses to it, each as its parts.
   *
   * @param more what the server gets, one after the other, when it asks for more
   */
  async command(text, more = []) {
    const tag = `a${++this.#tags}`
    const [name] = text.split(" ", 1)
    const waiting = [...more]
    this.#input.startAnswer()
    this.#socket.write(`${tag} ${text}\r\n`)
    const responses = []
    for (;;) {
      const parts = await this.#response()
      const [first] = parts
      if (first.startsWith("+")) {
        if (waiting.length === 0) throw new Error(`The server takes ${name} for incomplete: ${said(first)}`)
        this.#socket.write(`${waiting.shift()}\r\n`)
      } else if (first.startsWith(`${tag} `)) {
        const status = first.slice(tag.length + 1)
        if (/^OK\b/i.test(status)) return [...responses, parts]
        throw new Error(`The server answers ${name} with: ${said(status)}`)
      } else if (/^\* BYE\b/i.test(first)) {
        throw new Error(`The server ends the connection: ${said(first)}`)
      } else responses.push(parts)
    }
  }

  async login(user, password) {
    if (this.#isAuthenticated) return
    const capabilities = (await this.command("CAPABILITY")).map(([text]) => text).join(" ")
    if (/\bAUTH=PLAIN\b/i.test(capabilities)) {
      await this.command("AUTHENTICATE PLAIN", [Buffer.from(`\0${user}\0${password}`).toString("base64")])
    } else if (/\bLOGINDISABLED\b/i.test(capabilities)) {
      throw new Error("The server takes no password on this connection: it may have to be encrypted.")
    } else if (isAscii(user) && isAscii(password)) {
      await this.command(`LOGIN ${quoted(user)} ${quoted(password)}`)
    } else {
      const [userSize, passwordSize] = [user, password].map((text) => Buffer.byteLength(text))
      await this.command(`LOGIN {${userSize}}`, [`${user} {${passwordSize}}`, password])
    }
  }

  /** Opens a folder for reading alone. */
  async examine(folder) {
    const responses = await this.command(`EXAMINE ${quoted(encodedName(folder))}`)
    const numberOf = (name) => {
      const found = responses.map(([text]) => new RegExp(`\\[${name} (\\d+)\\]`, "i").exec(text)).find(Boolean)
      return found === undefined ? undefined : Number(found[1])
    }
    return { uidValidity: numberOf("UIDVALIDITY"), uidNext: numberOf("UIDNEXT") }
  }

  /** The UIDs of the messages that meet some criteria, ascending. */
  async search(criteria) {
    if (!isAscii(criteria)) throw new Error("Search criteria have to be ASCII, in one line.")
    const responses = await this.command(`UID SEARCH ${criteria}`)
    const uids = responses.flatMap(([text]) => /^\* SEARCH\b/i.test(text) ? text.split(" ").slice(2).map(Number) : [])
    return uids.filter((uid) => uid > 0).toSorted((a, b) => a - b)
  }

  /** What a message has of these items, by their names; undefined where it is gone. */
  async fetch(uid, items) {
    let found
    for (const parts of await this.command(`UID FETCH ${uid} (UID ${items})`)) {
      const [, , kind, list] = valuesOf(parts)
      if (!/^FETCH$/i.test(kind) || !Array.isArray(list)) continue
      const values = {}
      for (let index = 0; index + 1 < list.length; index += 2) {
        // The name of a body has its section in it.
        values[String(list[index]).toUpperCase().replace(/^BODY\[.*/s, "BODY")] = list[index + 1]
      }
      // A server may tell the flags of a message at any time, also in a response of their own.
      if (Number(values["UID"]) === uid) found = Object.assign(found ?? {}, values)
    }
    return found
  }

  close() {
    this.#socket.end("z LOGOUT\r\n")
    this.#socket.setTimeout(goodbyeMillis)
  }
}
