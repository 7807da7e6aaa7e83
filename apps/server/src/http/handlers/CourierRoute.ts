import * as Problem from "@headwater/api/Problem"
import { maxBodyDepth } from "@headwater/api/RequestCheck"
import { type Courier, mostPages, path } from "@headwater/domain/Courier"
import { mostBytes, mostValueBytes } from "@headwater/domain/EnvironmentVariable"
import * as ExactJson from "@headwater/domain/ExactJson"
import { isDeeper } from "@headwater/domain/JsonDepth"
import * as OwnMember from "@headwater/domain/OwnMember"
import * as Storable from "@headwater/domain/Storable"
import {
  filePathExpected,
  isFilePath,
  isOfEvents,
  longestContentType,
  onlyOfEvents
} from "@headwater/domain/StoredFile"
import { Environments } from "@headwater/engine/Environments"
import * as FileUpload from "@headwater/engine/FileUpload"
import { StoreRoom } from "@headwater/engine/StoreRoom"
import { Suspensions } from "@headwater/engine/Suspensions"
import { type CourierFull, Couriers } from "@headwater/log/resources/Couriers"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { DataStores } from "@headwater/log/resources/DataStores"
import { EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import { ByteSize, Clock, Effect, Option, Predicate, Redacted, Schema, SchemaIssue, Stream } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { BodyRoom } from "../conventions/BodyRoom.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings, maxValuesOutside } from "../conventions/HttpSettings.ts"
import { suspended } from "../conventions/KeyAuthorization.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import * as RequestBody from "../conventions/RequestBody.ts"
import { noFileRoom, noStoreRoom } from "./NoRoomProblem.ts"

const mostEntries = 1_000

const EntriesPage = Schema.Struct({
  store: Schema.String,
  page: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostPages })),
  entries: Schema.Array(Schema.Struct({
    key: Schema.String.check(Schema.makeFilter(Storable.isKey, { expected: Storable.keyExpected })),
    value: Schema.Json
  })).check(Schema.isMaxLength(mostEntries))
})

const VariablesPage = Schema.Struct({ variables: Schema.Record(Schema.String, Schema.String) })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const read = <A>(schema: Schema.Codec<A, unknown>, value: Schema.Json) =>
  Effect.mapError(
    Schema.decodeEffect(schema)(value, { errors: "all" }),
    ({ issue }) =>
      Problem.invalid(
        issuesOf(issue).issues.map(({ message, path = [] }) => ({
          path: path.map((part) => String(Predicate.isObject(part) ? Reflect.get(part, "key") : part)).join("."),
          message
        }))
      )
  )

const deadToken = new Problem.Unauthorized(
  Problem.because(
    "The courier's token is unknown, or has expired: send a live one as `Authorization: Bearer hwc_…`. `headwater import courier` makes one."
  )
)

const notNamed = (field: string, name: string) =>
  Problem.invalid([{ path: field, message: `this courier is not to bring ${JSON.stringify(name)}` }])

const full = <A, E, R>(effect: Effect.Effect<A, E | CourierFull, R>) =>
  Effect.catchIf(
    effect,
    (error): error is CourierFull & typeof error => Predicate.isTagged(error, "CourierFull"),
    () => Effect.fail(Problem.invalid([{ path: "", message: `a courier brings ${mostPages} pages at most` }]))
  )

const parsed = (text: string) =>
  isDeeper(text, maxBodyDepth)
    ? Effect.fail(Problem.invalid([{ path: "", message: `nested deeper than ${maxBodyDepth} levels` }]))
    : Effect.try({
      try: () => JSON.parse(text) as Schema.Json,
      catch: () => Problem.invalid([{ path: "", message: "Expected a valid JSON body" }])
    })

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const answerOf = (taken: boolean) => HttpServerResponse.jsonUnsafe({ data: { taken } })

/** Takes what couriers bring: pages of entries and variables in JSON by POST, and files by PUT, in the name of a token alone. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const couriers = yield* Couriers
  const dataStores = yield* DataStores
  const entries = yield* DataStoreEntries
  const environment = yield* EnvironmentVariables
  const environments = yield* Environments
  const rate = yield* RateLimiting
  const bodies = yield* BodyRoom
  const room = yield* StoreRoom
  const settings = yield* HttpSettings
  const suspensions = yield* Suspensions
  const upload = yield* FileUpload.make
  const largest = maxValuesOutside(settings)

  const courierOf = Effect.fnUntraced(function*({ headers }: HttpServerRequest.HttpServerRequest) {
    const [, token = ""] = /^bearer +(\S+)$/i.exec(headers["authorization"] ?? "") ?? []
    const found = yield* couriers.authenticate(Redacted.make(token))
    if (Option.isNone(found)) return yield* deadToken
    if (suspensions.isSuspended(found.value.accountId)) return yield* suspended
    yield* rate.take(found.value.accountId)
    return found.value
  })

  const textOf = (request: HttpServerRequest.HttpServerRequest) =>
    request.text.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(largest)),
      Effect.mapError(() => Problem.tooLarge("The page", largest))
    )

  const takeEntries = Effect.fnUntraced(function*({ accountId, id, stores }: Courier, json: Schema.Json, text: string) {
    const { entries: given, page: number, store: name } = yield* read(EntriesPage, json)
    const storeId = OwnMember.get(stores, name)
    if (storeId === undefined) return yield* notNamed("store", name)
    // With numbers as they were sent.
    const exact = ExactJson.mayHoldInexact(text)
      ? ExactJson.parse(text) as Schema.JsonObject
      : json as Schema.JsonObject
    const changes = new Map(given.map(({ key }, index) => {
      const { value } = (exact["entries"] as ReadonlyArray<Schema.JsonObject>)[index]!
      return [key, { _tag: "Set", key, value: JSON.stringify(value), ttl: null }] as const
    }))
    const large = [...changes.values()].find(({ value }) => Buffer.byteLength(value) > settings.maxStoredValue)
    if (large !== undefined) {
      return yield* Problem.tooLarge(
        `The value of ${JSON.stringify(large.key.slice(0, 200))}`,
        settings.maxStoredValue,
        "HEADWATER_MAX_STORED_VALUE"
      )
    }
    if (Option.isNone(yield* dataStores.get(accountId, storeId))) return yield* Problem.notFound("data store", storeId)
    const page = {
      kind: "data_store",
      name,
      number,
      hash: sha256(text),
      items: given.length,
      bytes: text.length
    } as const
    if (yield* couriers.has(id, page)) return false
    const written = { storeId, cleared: false, changes: [...changes.values()] }
    yield* room.take(accountId, [written]).pipe(Effect.catchTag("DataStoresFull", noStoreRoom))
    const now = yield* Clock.currentTimeMillis
    // They expect nothing.
    return yield* couriers.take(id, page, Effect.catchTag(entries.commit([written], now), "Fenced", Effect.die))
  }, full)

  const takeVariables = Effect.fnUntraced(function*(
    { accountId, id, projectId, variables }: Courier,
    json: Schema.Json,
    text: string
  ) {
    const given = Object.entries((yield* read(VariablesPage, json)).variables)
    const stranger = given.find(([name]) => !variables.includes(name))
    if (stranger !== undefined) return yield* notNamed("variables", stranger[0])
    const large = given.find(([, value]) => Buffer.byteLength(value) > mostValueBytes)
    if (large !== undefined) return yield* Problem.tooLarge(`variables.${large[0]}`, mostValueBytes)
    const owner = { id: projectId ?? accountId, accountId }
    const page = {
      kind: "variables",
      name: "",
      number: 0,
      hash: sha256(text),
      items: given.length,
      bytes: text.length
    } as const
    const taken = yield* couriers.take(
      id,
      page,
      Effect.forEach(given, ([name, value]) => environment.set(owner, name, { value, isSecret: true }), {
        discard: true
      })
    ).pipe(Effect.catchTag(
      "EnvironmentTooLarge",
      () => Effect.fail(Problem.tooLarge("The environment variables", mostBytes))
    ))
    if (taken) yield* environments.refresh
    return taken
  }, full)

  const takePage = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const courier = yield* courierOf(request)
    if (!RequestBody.isJson(request)) {
      return yield* new Problem.UnsupportedMediaType(
        Problem.because("Send the page with `Content-Type: application/json`.")
      )
    }
    if (RequestBody.isDeclaredLargerThan(request, largest)) return yield* Problem.tooLarge("The page", largest)
    const bytes = RequestBody.mostBytes(request, largest)
    rate.noteBytes(courier.accountId, bytes)
    yield* bodies.hold(courier.accountId, bytes)
    const text = yield* textOf(request)
    const json = yield* parsed(text)
    const take = Predicate.hasProperty(json, "variables") ? takeVariables : takeEntries
    return answerOf(yield* take(courier, json, text))
  }).pipe(Effect.scoped, answerFailures, Effect.catch(problemResponse))

  const takeFile = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { accountId, id, takesFiles } = yield* courierOf(request)
    const query = yield* HttpServerRequest.ParsedSearchParams
    const [name = "", hash = ""] = [query["path"], query["sha256"]].map((given) => [given ?? ""].flat()[0])
    if (!takesFiles) return yield* notNamed("path", name)
    if (!isFilePath(name)) return yield* Problem.invalid([{ path: "path", message: `Expected ${filePathExpected}` }])
    if (isOfEvents(name)) return yield* Problem.invalid([{ path: "path", message: onlyOfEvents }])
    const page = { kind: "files", name, number: 0, items: 1 } as const
    if (yield* couriers.has(id, { ...page, hash })) return answerOf(false)
    const bytes = Stream.orDie(request.stream).pipe(
      Stream.tap((chunk) => Effect.sync(() => rate.noteBytes(accountId, chunk.length)))
    )
    const type = Storable.toText(request.headers["content-type"] ?? "").slice(0, longestContentType)
    const file = yield* upload(accountId, {
      path: name,
      contentType: type === "" || type === "application/octet-stream" ? null : type,
      declared: Number(request.headers["content-length"] ?? 0)
    }, bytes).pipe(Effect.catchTag("NoFileRoom", noFileRoom))
    const mark = { ...page, hash: file.sha256 ?? "", bytes: file.size }
    return answerOf(yield* full(couriers.take(id, mark, Effect.void)))
  }).pipe(answerFailures, Effect.catch(problemResponse))

  yield* router.add("POST", path, takePage)
  yield* router.add("PUT", path, takeFile)
}))
