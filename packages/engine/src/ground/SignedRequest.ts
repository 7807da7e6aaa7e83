import { AwsV4Signer } from "aws4fetch"
import { Effect } from "effect"
import { createHash } from "node:crypto"

/** The object storage, and the credentials by which its objects are written and read. */
export interface ObjectAccess {
  /** Without a slash at its end. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface ObjectRequest {
  readonly method: "DELETE" | "GET" | "PUT"
  readonly bucket: string
  readonly key: string
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

/**
 * A request to object storage, signed (AWS Signature Version 4). Fails with the reason why there can be none, which is not in
 * the request but in the access.
 *
 * @param now real time, in Unix milliseconds
 */
export const make = (access: ObjectAccess, { body, bucket, headers = {}, key, method }: ObjectRequest, now: number) =>
  Effect.tryPromise({
    try: async () => {
      const path = [bucket, ...key.split("/")].map(encodeURIComponent).join("/")
      const signed = await new AwsV4Signer({
        ...access,
        service: "s3",
        method,
        url: `${access.endpoint}/${path}`,
        headers: {
          ...headers,
          "x-amz-content-sha256": createHash("sha256").update(body ?? "").digest("hex")
        },
        ...(body === undefined ? {} : { body }),
        datetime: new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, "")
      }).sign()
      return { method, url: signed.url.href, headers: Object.fromEntries(signed.headers) }
    },
    catch: (error) => String(error)
  })
