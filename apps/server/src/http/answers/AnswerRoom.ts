import { replayedHeader } from "@headwater/api/Idempotency"
import * as Problem from "@headwater/api/Problem"
import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import type { AccountId } from "@headwater/domain/Id"
import { Sharers } from "@headwater/domain/Sharers"
import { Context, Effect, Layer, Metric, Predicate, type Scope, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Socket } from "node:net"

const mebibyte = 1024 * 1024

/** An account, or a whole machine, with so many bytes of large answers under way begins no other. */
const mostOfAccount = 16 * mebibyte
const mostOfServer = 64 * mebibyte

/** Answers of up to so many bytes are not counted: all that a client can have of them are its open connections. */
const smallBytes = 64 * 1024

/** The client's time limit for an answer: `patienceMs`, and a millisecond more for every `bytesPerMs` bytes. */
const patienceMs = 30_000
const bytesPerMs = 64

const retryAfterSeconds = 2

const heldBytes = Metric.gauge("headwater_answers_held_bytes", {
  description: "Bytes of large responses that the server is reading or sending."
})

const accountIsFull = Problem.rateLimited(
  "The account has too many bytes of responses under way. Read those first, or request fewer items.",
  retryAfterSeconds
)
const serverIsFull = Problem.unavailable(
  "The server has too many bytes of responses under way. Try again later.",
  retryAfterSeconds
)

type Refusal = Problem.RateLimited | Problem.Unavailable

type Held = Scope.Scope | HttpServerRequest.HttpServerRequest

/**
 * The room for large answers, of each account and of the server: the memory that they hold from before they are read
 * from the database until their clients have them. A client that does not read its answer in time is cut off.
 *
 * @effect-expect-leaking HttpServerRequest
 */
export class AnswerRoom extends Context.Service<AnswerRoom, {
  /** Takes room until the scope closes, or refuses the request. A small answer needs none. */
  readonly take: (accountId: AccountId, bytes: number) => Effect.Effect<void, Refusal, Held>
  /** The same, once there is room. */
  readonly await: (accountId: AccountId, bytes: number) => Effect.Effect<void, never, Held>
  /**
   * Counts an answer that was made already, if it is a large one. Refuses it where the request changed nothing, so that it
   * can be sent again.
   */
  readonly admit: (
    accountId: AccountId,
    response: HttpServerResponse.HttpServerResponse
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, Held>
}>()("@headwater/server/AnswerRoom") {
  static readonly layer: Layer.Layer<AnswerRoom> = Layer.effect(
    AnswerRoom,
    Effect.map(Sharers, (sharers) => {
      const capacity = new AccountCapacity(
        { count: Infinity, bytes: mostOfServer / sharers },
        { count: Infinity, bytes: mostOfAccount / sharers }
      )
      let held = 0

      const change = (accountId: AccountId, bytes: number) =>
        Effect.suspend(() => {
          held += bytes
          if (bytes > 0) capacity.take(accountId, bytes)
          else capacity.release(accountId, -bytes)
          return Metric.update(heldBytes, held)
        })

      const hold = Effect.fnUntraced(function*(accountId: AccountId, bytes: number) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        yield* Effect.acquireRelease(change(accountId, bytes), () => change(accountId, -bytes))
        yield* Effect.sleep(patienceMs + bytes / bytesPerMs).pipe(
          Effect.andThen(Effect.sync(() => disconnect(source))),
          Effect.forkScoped
        )
      })

      const take = Effect.fnUntraced(function*(accountId: AccountId, bytes: number) {
        if (bytes <= smallBytes) return
        const fullness = capacity.fullness(accountId)
        if (fullness !== undefined) return yield* fullness === "account" ? accountIsFull : serverIsFull
        yield* hold(accountId, bytes)
      })

      return AnswerRoom.of({
        take,
        await: Effect.fnUntraced(function*(accountId, bytes) {
          if (bytes <= smallBytes) return
          while (capacity.isFull(accountId)) yield* capacity.free(accountId)
          yield* hold(accountId, bytes)
        }),
        admit: Effect.fnUntraced(function*(accountId, response) {
          const { body } = response
          if (body._tag !== "Uint8Array" || body.contentLength <= smallBytes) return response
          const { method } = yield* HttpServerRequest.HttpServerRequest
          const isRepeatable = method === "GET" || response.headers[replayedHeader] !== undefined
          yield* (isRepeatable ? take : hold)(accountId, body.contentLength)
          return HttpServerResponse.setBody(
            response,
            HttpBody.stream(
              Stream.fromIterable(slices(body.body), { chunkSize: 1 }),
              body.contentType,
              body.contentLength
            )
          )
        })
      })
    })
  )
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += smallBytes) yield bytes.subarray(at, at + smallBytes)
}

const isSocket = (value: unknown): value is Socket => Predicate.hasProperty(value, "destroy")

const disconnect = (source: object): void => {
  if (Predicate.hasProperty(source, "socket") && isSocket(source.socket)) source.socket.destroy()
}
