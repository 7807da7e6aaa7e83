import * as RealTime from "@headwater/domain/RealTime"
import { FileBucket, FileBucketFailed } from "@headwater/log/resources/FileBucket"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as SignedRequest from "./SignedRequest.ts"

/** The operator's settings for the bucket that has large files. */
export interface FileBucketSettings {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
}

/** The time that a request may take, in milliseconds. */
const patienceMs = 60_000

/** Characters of an answer that tell why a request was refused. */
const toldOfAnswer = 300

/**
 * The operator's bucket, over the protocol of S3. It is the operator's own word where that is, so that the guard of what
 * accounts may reach does not stand before it.
 */
export const layer = ({ bucket, secretAccessKey, ...settings }: FileBucketSettings) =>
  Layer.effect(
    FileBucket,
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const access = { ...settings, secretAccessKey: Redacted.value(secretAccessKey) }

      const ask = Effect.fnUntraced(
        function*(request: Omit<SignedRequest.ObjectRequest, "bucket">, isTaken: (status: number) => boolean) {
          const now = RealTime.of(clock).currentTimeMillisUnsafe()
          const signed = yield* SignedRequest.make(access, { ...request, bucket }, now)
          const [status, bytes] = yield* Effect.tryPromise({
            try: async (signal) => {
              const { headers, method, url } = signed
              const response = await fetch(url, {
                method,
                headers,
                ...(request.body === undefined ? {} : { body: request.body }),
                redirect: "error",
                signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
              })
              return [response.status, new Uint8Array(await response.arrayBuffer())] as const
            },
            catch: String
          })
          if (isTaken(status)) return bytes
          const told = Buffer.from(bytes).toString().slice(0, toldOfAnswer)
          return yield* Effect.fail(`it answered ${status} ${told}`)
        },
        Effect.mapError((reason) => new FileBucketFailed({ message: `the bucket of files: ${reason}` }))
      )

      return {
        put: (key, bytes) =>
          Effect.asVoid(ask({ method: "PUT", key, body: Uint8Array.from(bytes) }, (status) => status === 200)),
        get: (key, from, length) =>
          ask({ method: "GET", key, headers: { range: `bytes=${from}-${from + length - 1}` } }, (status) =>
            status === 206)
            .pipe(Effect.filterOrFail(
              (bytes) =>
                bytes.length === length,
              () => new FileBucketFailed({ message: "the bucket of files gave other bytes than it was asked for" })
            )),
        remove: (key) =>
          Effect.asVoid(ask({ method: "DELETE", key }, (status) => status === 204 || status === 200 || status === 404))
      }
    })
  )
