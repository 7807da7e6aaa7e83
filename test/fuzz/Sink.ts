import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import * as ComponentCodes from "./ComponentCodes.ts"
import * as Placeholder from "./Placeholder.ts"

/** Where the accounts' webhooks deliver to, and where code that is fetched lies. */
export interface Sink {
  readonly url: string
}

/** Something that came for a webhook, and the account's marker in the URL it came to. */
export interface Delivery {
  readonly marker: string
  readonly received: string
}

const hosted = (marker: string): string => ComponentCodes.hosted.replaceAll(Placeholder.marker, marker)

const codeOf = (marker: string, file: string): string | undefined => {
  switch (file) {
    case "component.mjs":
      return hosted(marker)
    case "with-import.mjs":
      return `import { text } from "./helper.mjs"\nglobalThis.text = text\n${hosted(marker)}`
    case "helper.mjs":
      return `export const text = "${marker} imported"\n`
    default:
      return undefined
  }
}

const path = /^\/(hook|gone|code)\/([a-z0-9]+)(?:\/([\w.-]+))?$/

/** @param onDelivery is given each delivery, and answers nothing */
export const make = (onDelivery: (delivery: Delivery) => void): Effect.Effect<Sink, never, Scope.Scope> =>
  Effect.gen(function*() {
    const url = yield* Loopback.serve((request, response) => {
      const [, kind, marker = "", file = ""] = path.exec(request.url ?? "") ?? []
      const chunks: Array<Buffer> = []
      request.on("error", () => {})
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        if (kind === "code") {
          const code = codeOf(marker, file)
          response.writeHead(code === undefined ? 404 : 200, { "content-type": "text/javascript" }).end(code)
          return
        }
        if (kind !== undefined) {
          onDelivery({ marker, received: `${request.rawHeaders.join("\n")}\n${Buffer.concat(chunks).toString()}` })
        }
        response.writeHead(kind === "hook" ? 200 : 410).end()
      })
    })
    return { url }
  })
