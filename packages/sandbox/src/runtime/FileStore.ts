/** The files of the account: `$.files`, and props of the type `dir` (`docs/workflows.md`, "The file store"). */
import { partBytes, partsOf } from "@headwater/domain/RunFile"
import type { FileOutline } from "@headwater/domain/StoredFile"
import { Readable, Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { callbackify } from "node:util"
import { askIn } from "./Questions.ts"
import type { RunContext } from "./RunContext.ts"

const { concat } = Buffer
const fs = process.getBuiltinModule("node:fs")

/** The last number of what is written, over all runs of the process. */
let lastUpload = 0

const absent = (path: string) =>
  Object.assign(new Error(`ENOENT: the file store has no file ${path}`), { code: "ENOENT", path })

class File {
  readonly path: string
  readonly #run: RunContext

  constructor(run: RunContext, path: string) {
    this.#run = run
    this.path = path
  }

  async createReadStream(): Promise<Readable> {
    const file = await this.#outline()
    return Readable.from(this.#parts(file), { objectMode: false })
  }

  /** The file is there, or has its new content, once the stream has finished. */
  async createWriteStream(contentType?: string, _contentLength?: number): Promise<Writable> {
    const upload = ++lastUpload
    const ask = (question: Readonly<Record<string, unknown>> & { readonly _tag: string }) =>
      askIn(this.#run, { ...question, upload })
    let waiting: Array<Buffer> = []
    let bytes = 0
    let place = 0
    const put = async (isLast: boolean) => {
      const all = concat(waiting)
      const end = isLast ? all.length : all.length - all.length % partBytes
      for (let at = 0; at < end; at += partBytes) {
        const part = all.subarray(at, Math.min(end, at + partBytes))
        await ask({ _tag: "StoredWrite", place: place++, base64: part.toString("base64") })
      }
      waiting = [all.subarray(end)]
    }
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        waiting.push(chunk)
        bytes += chunk.length
        if (waiting.reduce((sum, { length }) => sum + length, 0) < partBytes) return done()
        callbackify(() => put(false))(done)
      },
      final: (done) => {
        const finish = async () => {
          await put(true)
          await ask({ _tag: "StoredFinish", path: this.path, size: bytes, contentType: contentType ?? null })
        }
        callbackify(finish)(done)
      }
    })
  }

  async toBuffer(): Promise<Buffer> {
    const parts: Array<Buffer> = []
    for await (const part of this.#parts(await this.#outline())) parts.push(part)
    return concat(parts)
  }

  async toEncodedString(encoding: BufferEncoding = "utf8", start?: number, end?: number): Promise<string> {
    return (await this.toBuffer()).toString(encoding, start, end)
  }

  /** A URL at which anybody can read the file for half an hour. */
  async toUrl(): Promise<string> {
    const url = await askIn(this.#run, { _tag: "StoredUrl", path: this.path })
    if (url === null) throw absent(this.path)
    return String(url)
  }

  async toFile(localPath: string): Promise<void> {
    await pipeline(await this.createReadStream(), fs.createWriteStream(localPath))
  }

  async fromReadableStream(
    stream: NodeJS.ReadableStream | AsyncIterable<Uint8Array>,
    contentType?: string,
    contentLength?: number
  ): Promise<this> {
    await pipeline(stream, await this.createWriteStream(contentType, contentLength))
    return this
  }

  fromFile(localPath: string, contentType?: string): Promise<this> {
    return this.fromReadableStream(fs.createReadStream(localPath), contentType)
  }

  async fromUrl(url: string, options?: RequestInit): Promise<this> {
    const response = await fetch(url, options)
    if (!response.ok || response.body === null) {
      await response.body?.cancel()
      throw new Error(`${url} answered ${response.status} ${response.statusText}`.trimEnd())
    }
    const type = response.headers.get("content-type") ?? undefined
    return this.fromReadableStream(response.body as AsyncIterable<Uint8Array>, type)
  }

  async delete(): Promise<void> {
    await askIn(this.#run, { _tag: "StoredRemove", path: this.path })
  }

  toJSON(): { readonly path: string } {
    return { path: this.path }
  }

  async #outline(): Promise<FileOutline> {
    const found = await askIn(this.#run, { _tag: "StoredStat", path: this.path }) as FileOutline | null
    if (found === null) throw absent(this.path)
    return found
  }

  async *#parts({ content, size }: FileOutline): AsyncGenerator<Buffer> {
    for (let place = 0; place < partsOf(size); place++) {
      const part = await askIn(this.#run, { _tag: "StoredRead", content, place })
      if (part === "") throw absent(this.path)
      yield Buffer.from(String(part), "base64")
    }
  }
}

/** A file, or a directory, which is there as long as a file is below it. */
class Entry {
  readonly path: string
  readonly name: string
  readonly size: number | undefined
  readonly modifiedAt: Date | undefined
  readonly #isFile: boolean

  constructor(path: string, file?: FileOutline) {
    this.path = path
    this.name = path.slice(path.lastIndexOf("/") + 1)
    this.#isFile = file !== undefined
    this.size = file?.size
    this.modifiedAt = file === undefined ? undefined : new Date(file.updatedAt * 1_000)
  }

  isFile(): boolean {
    return this.#isFile
  }

  isDirectory(): boolean {
    return !this.#isFile
  }
}

const normal = (path: unknown): string => String(path).replaceAll(/^(\.?\/)+|\/+$/g, "")

async function* entriesOf(run: RunContext, directory: string): AsyncGenerator<Entry> {
  const prefix = directory === "" || directory === "." ? "" : `${directory}/`
  let after = ""
  let last: string | undefined
  while (true) {
    const page = await askIn(run, { _tag: "StoredPage", prefix, after }) as ReadonlyArray<FileOutline>
    for (const file of page) {
      const [name, ...below] = file.path.slice(prefix.length).split("/")
      const path = `${prefix}${name}`
      if (below.length === 0) yield new Entry(path, file)
      else if (path !== last) yield new Entry(last = path)
    }
    if (page.length === 0) return
    after = page.at(-1)!.path
  }
}

/** The account's files, of which paths are below a directory if one is given. */
export const filesOf = (run: RunContext) => ({
  open: (path: unknown) => new File(run, normal(path)),
  openDescriptor: (descriptor: unknown) => new File(run, normal((descriptor as { readonly path?: unknown }).path)),
  dir: (path: unknown = "") => entriesOf(run, normal(path))
})
