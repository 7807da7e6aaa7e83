import { mediaTypeOf } from "@headwater/domain/RequestEventBody"
import type { Schema } from "effect"
import { MultipartParser } from "effect/http"

/** A form of more fields is handed on as text alone: to take it apart costs many times its size. */
export const maxFields = 1_000

/** Fields by name, a list where a name came more than once. */
export const multimap = <A extends Schema.Json>(
  entries: Iterable<readonly [string, A]>
): Record<string, A | ReadonlyArray<A>> => {
  const byName = Map.groupBy(entries, ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, fields]) => {
      const values = fields.map(([, value]) => value)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )
}

/** The fields of a form; undefined where there are too many. */
const parseForm = (text: string): Schema.Json | undefined => {
  let fields = 1
  for (let i = text.indexOf("&"); i !== -1; i = text.indexOf("&", i + 1)) if (++fields > maxFields) return undefined
  return multimap(new URLSearchParams(text))
}

/** The fields of a form, files in base64; undefined for what is no such form, not all of one, or too much. */
const parseMultipart = (contentType: string, body: Uint8Array): Schema.Json | undefined => {
  const parts: Array<readonly [string, Schema.Json]> = []
  let isWhole = false
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    onField: (info, value) => parts.push([info.name, MultipartParser.decodeField(info, value)]),
    onFile: ({ contentType, filename, name }) => {
      const chunks: Array<Uint8Array> = []
      return (chunk) => {
        if (chunk !== null) return void chunks.push(chunk)
        const content = Buffer.concat(chunks).toString("base64")
        parts.push([name, { filename: filename ?? "", content_type: contentType, content }])
      }
    },
    maxParts: maxFields,
    onError: () => {},
    onDone: () => {
      isWhole = true
    }
  })
  try {
    parser.write(body)
    parser.end()
  } catch {
    // The parser throws over some of what is no form, such as one that ends before its first field.
    return undefined
  }
  return isWhole ? multimap(parts) : undefined
}

/** The fields of a form, files of a multipart form in base64. Undefined for a body that is no form, or none that can be taken apart. */
export const fieldsOf = (contentType: string, body: Uint8Array, text: string): Schema.Json | undefined => {
  switch (mediaTypeOf(contentType)) {
    case "application/x-www-form-urlencoded":
      return parseForm(text)
    case "multipart/form-data":
      return parseMultipart(contentType, body)
    default:
      return undefined
  }
}
