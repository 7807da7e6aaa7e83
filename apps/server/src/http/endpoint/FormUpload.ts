import type { EventFile } from "@headwater/engine/EventFiles"
import { Data, Effect, type Schema, Stream } from "effect"
import { Multipart } from "effect/http"
import { maxFields, multimap } from "./EndpointBody.ts"

/** The reasons for refusing a form. */
export class FormRefused extends Data.TaggedError("FormRefused")<{
  readonly reason: "unreadable" | "fields_too_large" | "no_room"
}> {}

const refuse = (reason: FormRefused["reason"]) => Effect.fail(new FormRefused({ reason }))

/**
 * The fields of a form that is taken apart as it comes: the fields are in memory together, a part of one file at a time.
 *
 * @param keep keeps a file, and answers its URL; null where there is no room
 */
export const fieldsOf = <E>({ bytes, contentType, keep, mostFieldBytes }: {
  readonly contentType: string
  readonly bytes: Stream.Stream<Uint8Array, E>
  readonly mostFieldBytes: number
  readonly keep: <E>(file: EventFile, bytes: Stream.Stream<Uint8Array, E>) => Effect.Effect<string | null, E>
}): Effect.Effect<Record<string, Schema.Json>, FormRefused | E> => {
  const entries: Array<readonly [string, Schema.Json]> = []
  let held = 0
  return bytes.pipe(
    Stream.pipeThroughChannel(Multipart.makeChannel<E>({ "content-type": contentType })),
    Stream.runForEach(Effect.fnUntraced(function*(part) {
      if (part._tag === "Field") {
        held += part.key.length + part.value.length
        if (held > mostFieldBytes) return yield* refuse("fields_too_large")
        entries.push([part.key, part.value])
        return
      }
      const { contentType, key, name: filename } = part
      const url = yield* keep({ name: filename, contentType }, part.content)
      if (url === null) return yield* refuse("no_room")
      entries.push([key, { url, filename, mimetype: contentType, content_type: contentType }])
    })),
    Effect.provideContext(Multipart.limitsServices({ maxParts: maxFields, maxFieldSize: mostFieldBytes })),
    Effect.catchIf(
      Multipart.isMultipartError,
      ({ reason }) => refuse(reason._tag === "FieldTooLarge" ? "fields_too_large" : "unreadable")
    ),
    Effect.map(() => multimap(entries))
  )
}
