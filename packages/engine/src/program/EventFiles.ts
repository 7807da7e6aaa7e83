import * as EmitId from "@headwater/domain/EmitId"
import * as FileKey from "@headwater/domain/FileKey"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import { partBytes } from "@headwater/domain/RunFile"
import * as Storable from "@headwater/domain/Storable"
import { eventFolderOf, eventUrlMillis } from "@headwater/domain/StoredFile"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"

/** A file that comes with an event. */
export interface EventFile {
  /** As its sender calls it, which may be nothing or anything. */
  readonly name: string
  readonly contentType: string
}

/** The files of one event that is to be. */
export interface FilesOfEvent {
  /** Keeps a file, and answers the URL at which anybody reads it; null if the account has no room for it. */
  readonly keep: <E>(file: EventFile, bytes: Stream.Stream<Uint8Array, E>) => Effect.Effect<string | null, E>
  /** Removes those that were kept: the event has come to nothing. */
  readonly drop: Effect.Effect<void>
}

/** The name of a file within its folder. */
const nameOf = ({ name }: EventFile): string => {
  const last = Storable.toText(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1))
  return last === "" || last === "." || last === ".." ? "file" : Array.from(last).slice(0, 200).join("")
}

interface Unfinished {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly length: number
  readonly isFirst: boolean
}

/** Bytes in parts as a file has them: at least one, all but the last of which are full. */
const inParts = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.mapAccum(
    bytes,
    (): Unfinished => ({ chunks: [], length: 0, isFirst: true }),
    ({ chunks, isFirst, length: before }, chunk) => {
      const length = before + chunk.length
      if (length < partBytes) return [{ chunks: [...chunks, chunk], length, isFirst }, []]
      const all = Buffer.concat([...chunks, chunk])
      const full = length - length % partBytes
      const parts = Array.from({ length: full / partBytes }, (_, place) =>
        all.subarray(place * partBytes, (place + 1) * partBytes))
      return [{ chunks: [all.subarray(full)], length: length - full, isFirst: false }, parts]
    },
    {
      onHalt: ({ chunks, isFirst, length }) =>
        length > 0 || isFirst ? [Buffer.concat(chunks)] : []
    }
  )

/**
 * Keeps files beside the events that they come with, in a folder of the account's file store (`docs/components.md`). They are
 * there before the event is durable, and go with the events that the account has of that time, or with the program.
 */
export class EventFiles extends Context.Service<EventFiles, {
  /** The most that all files of an account have. */
  readonly mostBytes: number
  readonly begin: (program: { readonly accountId: AccountId; readonly programId: ProgramId }) => FilesOfEvent
}>()("@headwater/engine/program/EventFiles") {
  static readonly layer = Layer.effect(
    EventFiles,
    Effect.gen(function*() {
      const files = yield* StoredFiles
      const { publicUrl } = yield* EngineConfig
      const { filesOfAccount } = yield* EngineLimits
      const { secret } = yield* FileSecret

      const begin: EventFiles["Service"]["begin"] = ({ accountId, programId }) => {
        const takeRoom = FileRoom.make(filesOfAccount, files.bytesOf(accountId))
        const kept: Array<string> = []

        /** Puts the bytes of a file. Answers how many they are; undefined if there is no room for all. */
        const put = Effect.fnUntraced(function*<E>(content: string, bytes: Stream.Stream<Uint8Array, E>) {
          let place = 0
          let size = 0
          const putPart = Effect.fnUntraced(function*(part: Uint8Array) {
            if (!(yield* takeRoom(place, part.length))) return false
            yield* untilAnswered(files.putPart(accountId, { content, place, bytes: part }))
            place++
            size += part.length
            return true
          })
          const isWhole = yield* Stream.mapEffect(inParts(bytes), putPart).pipe(
            Stream.takeUntil((fits) => !fits),
            Stream.runFold(() => true, (_, fits) => fits)
          )
          return isWhole ? size : undefined
        })

        const keep = <E>(file: EventFile, bytes: Stream.Stream<Uint8Array, E>) =>
          Effect.suspend(() => {
            const content = EmitId.make()
            const path = `${eventFolderOf(programId)}${content}/${nameOf(file)}`
            const contentType = Storable.toText(file.contentType).slice(0, 255)
            const discard = untilAnswered(files.discard(accountId, content))
            return Effect.gen(function*() {
              const size = yield* put(content, bytes)
              if (size === undefined) return yield* Effect.as(discard, null)
              yield* untilAnswered(files.write(accountId, { path, size, contentType, content }))
              kept.push(path)
              const until = (yield* Clock.currentTimeMillis) + eventUrlMillis
              return `${publicUrl}/files/${FileKey.make(secret, { content, until })}`
            }).pipe(Effect.onError(() => discard))
          })

        const drop = Effect.suspend(() =>
          Effect.forEach(kept, (path) => untilAnswered(files.remove(accountId, path)), { discard: true })
        )
        return { keep, drop }
      }

      return EventFiles.of({ mostBytes: filesOfAccount, begin })
    })
  )
}
