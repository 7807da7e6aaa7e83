import * as EmitId from "@headwater/domain/EmitId"
import * as FileKey from "@headwater/domain/FileKey"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import * as Storable from "@headwater/domain/Storable"
import { eventFolderOf, eventUrlMillis, longestContentType } from "@headwater/domain/StoredFile"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Context, Effect, Layer, Result, type Stream } from "effect"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"
import * as FileUpload from "./FileUpload.ts"

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
  /** The paths of those that were kept. */
  readonly paths: ReadonlyArray<string>
  /** Removes those that were kept: the event has come to nothing. */
  readonly drop: Effect.Effect<void>
}

/** The name of a file within its folder. */
const nameOf = ({ name }: EventFile): string => {
  const last = Storable.toText(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1))
  return last === "" || last === "." || last === ".." ? "file" : Array.from(last).slice(0, 200).join("")
}

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
      const upload = yield* FileUpload.make
      const { secret } = yield* FileSecret

      const begin: EventFiles["Service"]["begin"] = ({ accountId, programId }) => {
        const kept: Array<string> = []
        const takeRoom = FileRoom.make(filesOfAccount, files.bytesOf(accountId))

        const keep = Effect.fnUntraced(function*<E>(file: EventFile, bytes: Stream.Stream<Uint8Array, E>) {
          const path = `${eventFolderOf(programId)}${EmitId.make()}/${nameOf(file)}`
          const contentType = Storable.toText(file.contentType).slice(0, longestContentType)
          const written = yield* Effect.result(upload(accountId, { path, contentType }, bytes, takeRoom))
          if (Result.isFailure(written)) {
            const { failure } = written
            return failure instanceof FileUpload.NoFileRoom ? null : yield* Effect.fail(failure as E)
          }
          kept.push(path)
          const until = (yield* Clock.currentTimeMillis) + eventUrlMillis
          return `${publicUrl}/files/${FileKey.make(secret, { content: written.success.content, until })}`
        })

        const drop = Effect.suspend(() =>
          Effect.forEach(kept, (path) => untilAnswered(files.remove(accountId, path)), { discard: true })
        )
        return { keep, paths: kept, drop }
      }

      return EventFiles.of({ mostBytes: filesOfAccount, begin })
    })
  )
}
