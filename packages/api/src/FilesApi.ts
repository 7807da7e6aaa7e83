import * as Storable from "@headwater/domain/Storable"
import { longestContentType, urlMillis } from "@headwater/domain/StoredFile"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { FilePath, filePathText } from "./FilePath.ts"
import { NamedByQuery } from "./NamedByQuery.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesFile } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { UnixMillis } from "./UnixMillis.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const FileResource = Schema.Struct({
  id: ResourceId("file"),
  path: Schema.String.annotate({ description: filePathText }),
  size: Schema.Int.annotate({ description: "Bytes." }),
  content_type: Schema.NullOr(Schema.String).annotate({
    description: `As it was sent, at most ${longestContentType} characters; null if none was.`
  }),
  sha256: Schema.NullOr(Schema.String).annotate({
    description:
      "The SHA-256 of its content, in hexadecimal digits; null of a file that was written before the server kept it."
  }),
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({
  identifier: "File",
  examples: [{
    id: "fl_0Uz7P0aRk3WnXc5TzQmB",
    path: "reports/2026/october.pdf",
    size: 48_213,
    content_type: "application/pdf",
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    created_at: 1_760_000_000,
    updated_at: 1_760_000_000
  }]
})
export type FileResource = typeof FileResource.Type

const FileUrl = Schema.Struct({
  url: Schema.String,
  expires_at_ms: UnixMillis.annotate({ description: "When it ceases to work, in Unix milliseconds." })
}).annotate({
  identifier: "FileUrl",
  examples: [{
    url:
      "https://events.example.com/files/0Uz7P0aRk3WnXc5TzQmB.1760001800000.3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    expires_at_ms: 1_760_001_800_000
  }]
})

const anyBytes = HttpApiSchema.StreamUint8Array({ contentType: ["application/octet-stream", "*/*"] })

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("list", "/files", {
      query: {
        ...Pagination.query("file"),
        prefix: Schema.optionalKey(
          Schema.String.pipe(Schema.check(Schema.makeFilter(Storable.isKey, {
            expected: Storable.keyExpected,
            toJsonSchema: () => ({ maxLength: Storable.maxKeyBytes })
          })))
            .annotate({ description: "Lists only files whose paths begin so." })
        ),
        ...Projection.fields
      },
      success: Pagination.Page(FileResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("List files", "Newest first.")),
    HttpApiEndpoint.get("read", "/files/content", {
      query: { path: FilePath },
      success: anyBytes,
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Read a file", "Its bytes as they were sent, with its type.")
    ),
    HttpApiEndpoint.put("write", "/files/content", {
      headers: {
        "content-type": Schema.optionalKey(Schema.String.annotate({
          description: "The type of the file.",
          ...Extension.mark
        }))
      },
      query: { path: FilePath, ...Projection.fields },
      payload: anyBytes,
      success: Pagination.Single(FileResource),
      error: Problem.PayloadTooLarge
    }).annotate(NeededScope, "write").annotate(TakesFile, true).annotate(NamedByQuery, "path").annotateMerge(
      Extension.operation(
        "Write a file",
        "The body is the content, of any type. Replaces the file at the path, if there is one, once the last byte is there."
      )
    ),
    HttpApiEndpoint.delete("delete", "/files/content", {
      query: { path: FilePath, ...Projection.fields },
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotate(NamedByQuery, "path").annotateMerge(
      Extension.operation("Delete a file", "By its path.")
    ),
    HttpApiEndpoint.get("url", "/files/url", {
      query: { path: FilePath, ...Projection.fields },
      success: Pagination.Single(FileUrl),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get a URL of a file",
      `At it anybody can read the file for ${urlMillis / 60_000} minutes, or until it is written anew.`
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Files",
    description: "Files of an account that stay until they are deleted: `$.files` of its code."
  }))
{}
