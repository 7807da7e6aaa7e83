import { BoundedMap } from "@headwater/domain/BoundedMap"
import * as EmitId from "@headwater/domain/EmitId"
import * as FileKey from "@headwater/domain/FileKey"
import type { AccountId } from "@headwater/domain/Id"
import { type FilePart, partBytes } from "@headwater/domain/RunFile"
import * as Storable from "@headwater/domain/Storable"
import {
  filePathExpected,
  isFilePath,
  isOfEvents,
  longestContentType,
  onlyOfEvents,
  type StoredFile,
  urlMillis
} from "@headwater/domain/StoredFile"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { FileBucketFailed } from "@headwater/log/resources/FileBucket"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import type { FileStoreAnswer, FileStoreQuestion, RunFileStore } from "@headwater/sandbox/SandboxProtocol"
import { Clock, Effect, Option, Schema } from "effect"
import { createHash, type Hash } from "node:crypto"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"

/** Files of a page that code reads. */
const filesOfPage = 100

const answer = (value: NonNullable<FileStoreAnswer["answer"]> | null): FileStoreAnswer => ({ answer: value })

const refusal = (code: string, message: string): FileStoreAnswer => ({ error: { code, message } })

const outlineOf = ({ content, contentType, path, size, updatedAt }: StoredFile) => ({
  path,
  size,
  contentType,
  content,
  updatedAt
})

interface Upload {
  readonly content: string
  readonly hash: Hash
  bytes: number
}

const begun = (): Upload => ({ content: EmitId.make(), hash: createHash("sha256"), bytes: 0 })

/** Files that are written at once; of more, the first are given up. */
const mostUploads = 1_000

const full = refusal("ENOSPC", "The account has no room for more files")

const isUnreadable = Schema.is(FileBucketFailed)

const unreadable = refusal("EIO", "The file can't be read now: try again later")

/** The URL at which anybody reads a file for a while. */
export const makeUrlOf = Effect.gen(function*() {
  const { publicUrl } = yield* EngineConfig
  const { secret } = yield* FileSecret
  return ({ content }: StoredFile) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => `${publicUrl}/files/${FileKey.make(secret, { content, until: now + urlMillis })}`
    )
})

/**
 * Answers what the code of an account asks about its files. Its writes are there at once, so that others can be given the URL,
 * and stay if the run fails.
 */
export const make = Effect.gen(function*() {
  const files = yield* StoredFiles
  const { filesOfAccount } = yield* EngineLimits
  const urlOf = yield* makeUrlOf

  const storeOf = (accountId: AccountId, isTrial: boolean): RunFileStore => {
    const uploads = new BoundedMap<number, Upload>(mostUploads)
    const takeRoom = FileRoom.make(filesOfAccount, files.bytesOf(accountId))

    /** Puts a part in its place. Answers false if there is no room for it. */
    const put = Effect.fnUntraced(function*(part: FilePart) {
      if (!(yield* takeRoom(part.place, part.bytes.length))) return false
      yield* untilAnswered(files.putPart(accountId, part))
      return true
    })

    const write = Effect.fnUntraced(function*({ base64, place, upload }: FileStoreQuestion & { _tag: "StoredWrite" }) {
      const bytes = Buffer.from(base64, "base64")
      // The first part begins a file, whatever had its number before: it may have been a process that was lost.
      const known = place === 0 ? begun() : uploads.get(upload)
      if (known?.bytes !== place * partBytes || bytes.length === 0 || bytes.length > partBytes) {
        return refusal("EINVAL", "These are not the next bytes of a file")
      }
      if (!(yield* put({ content: known.content, place, bytes }))) return full
      known.bytes += bytes.length
      known.hash.update(bytes)
      uploads.set(upload, known)
      return answer(null)
    })

    const finish = Effect.fnUntraced(
      function*({ contentType, path, size, upload }: FileStoreQuestion & { _tag: "StoredFinish" }) {
        const known = size === 0 ? begun() : uploads.get(upload)
        uploads.delete(upload)
        if (!isFilePath(path)) return refusal("EINVAL", `Expected ${filePathExpected}`)
        if (isOfEvents(path)) return refusal("EINVAL", onlyOfEvents)
        if (known?.bytes !== size) return refusal("EINVAL", "The bytes of the file are not there")
        // An empty file takes room too.
        if (size === 0 && !(yield* put({ content: known.content, place: 0, bytes: new Uint8Array() }))) return full
        const type = contentType === null ? null : Storable.toText(contentType).slice(0, longestContentType)
        const sha256 = known.hash.digest("hex")
        yield* untilAnswered(files.write(accountId, { path, size, contentType: type, content: known.content, sha256 }))
        return answer(null)
      }
    )

    return (question) =>
      Effect.gen(function*() {
        switch (question._tag) {
          case "StoredStat": {
            const found = yield* untilAnswered(files.at(accountId, question.path))
            return answer(Option.getOrNull(Option.map(found, outlineOf)))
          }
          case "StoredPage": {
            const { after, prefix } = question
            const page = yield* untilAnswered(files.inOrder(accountId, { prefix, after, limit: filesOfPage }))
            return answer(page.map(outlineOf))
          }
          case "StoredRead": {
            return yield* untilAnswered(files.part(accountId, question.content, question.place)).pipe(
              Effect.map((bytes) => answer(Buffer.from(bytes ?? new Uint8Array()).toString("base64"))),
              Effect.catchDefect((defect) => isUnreadable(defect) ? Effect.succeed(unreadable) : Effect.die(defect))
            )
          }
          case "StoredUrl": {
            const found = yield* untilAnswered(files.at(accountId, question.path))
            return answer(Option.isNone(found) ? null : yield* urlOf(found.value))
          }
        }
        if (isTrial) return refusal("EROFS", "A trial keeps no files")
        switch (question._tag) {
          case "StoredWrite":
            return yield* write(question)
          case "StoredFinish":
            return yield* finish(question)
          case "StoredRemove":
            yield* untilAnswered(files.remove(accountId, question.path))
            return answer(null)
        }
      })
  }

  // Most runs ask nothing.
  return (accountId: AccountId, isTrial = false): RunFileStore => {
    let store: RunFileStore | undefined
    return (question) => (store ??= storeOf(accountId, isTrial))(question)
  }
})
