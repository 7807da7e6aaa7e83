import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import { gzipSync } from "node:zlib"

export interface VendorRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface VendorAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text, bytes, or what is sent as JSON. */
  readonly body?: unknown
}

/** A server of a vendor on loopback, before which a component stands. */
export interface VendorServer {
  readonly origin: string
  /** What it was asked, in order. */
  readonly asked: ReadonlyArray<VendorRequest>
}

/** @param answer `undefined` where the connection is to hang */
export const make = (
  answer: (request: VendorRequest) => VendorAnswer | undefined | Promise<VendorAnswer | undefined>
): Effect.Effect<VendorServer, never, Scope.Scope> =>
  Effect.gen(function*() {
    const asked: Array<VendorRequest> = []
    const origin = yield* Loopback.serve(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const read: VendorRequest = {
        method: request.method ?? "",
        url: new URL(request.url ?? "", `http://${request.headers.host}`),
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(chunks).toString()
      }
      asked.push(read)
      const given = await answer(read)
      if (given === undefined) return
      const { body, headers, status = 200 } = given
      const isPlain = typeof body === "string" || body instanceof Uint8Array
      const content = body === undefined ? "" : isPlain ? body : JSON.stringify(body)
      const zips = status === 200 && (request.headers["accept-encoding"] ?? "").includes("gzip")
      response.writeHead(status, { ...(zips ? { "content-encoding": "gzip" } : {}), ...headers })
      response.end(zips ? gzipSync(content) : status === 304 || status === 204 ? undefined : content)
    })
    return { origin, asked }
  })
