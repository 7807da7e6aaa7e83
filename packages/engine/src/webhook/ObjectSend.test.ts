import { assert, it, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import * as ObjectStore from "@headwater/fixtures/ObjectStore"
import { EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { gunzipSync } from "node:zlib"
import * as EngineFixture from "../../test/EngineFixture.ts"
import * as WebhookFixture from "../../test/WebhookFixture.ts"
import { Environments } from "../ground/Environments.ts"
import * as Wake from "../ground/Wake.ts"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import * as ObjectSend from "./ObjectSend.ts"
import { WebhookActor } from "./WebhookActor.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

const line = (payload: unknown, { bucket = "one", prefix = "" } = {}) => ({ s3: { bucket, prefix, payload } })

const { accessKeyId, region, secretAccessKey } = ObjectStore.access

/** What sends the objects of a workflow, and the store that it writes into. */
const setup = Effect.fnUntraced(function*(refuse: (count: number) => number | undefined = () => undefined) {
  const account = yield* EngineFixture.account
  const log = yield* EngineFixture.emitter(account.id)
  const store = yield* ObjectStore.make(["one", "two"], refuse)
  const workflowId = Id.WorkflowId.make(yield* Id.make("workflow"))
  const webhook = yield* (yield* Webhooks).insert({
    accountId: account.id,
    name: null,
    description: null,
    url: "",
    workflowId
  })
  const subscription = yield* (yield* Subscriptions).create({
    accountId: account.id,
    emitterId: log.emitterId,
    listenerId: webhook.id,
    eventName: Stream.objects
  }, { batch: SubscriptionBatch.ofObjects })
  const actor = yield* WebhookActor.make(webhook.id)
  const variables = yield* EnvironmentVariables
  const environments = yield* Environments
  return {
    store,
    webhook,
    setVariables: Effect.fnUntraced(function*(values: Record<string, string>) {
      for (const [name, value] of Object.entries(values)) {
        yield* variables.set({ id: account.id, accountId: account.id }, name, { value, isSecret: true })
      }
      yield* environments.refresh
    }),
    emit: Effect.fnUntraced(function*(payloads: ReadonlyArray<unknown>) {
      yield* log.commit(payloads.map((payload) => EngineFixture.newEvent(payload, Stream.objects)), {})
      yield* actor.wake(Wake.forEverything)
    }),
    /** What is due after some time is sent. */
    after: Effect.fnUntraced(function*(time: number) {
      yield* TestClock.adjust(time)
      yield* actor.wake(Wake.forDueWork)
      yield* actor.wake(Wake.forDueWork)
    }),
    attempts: Effect.flatMap(Attempts, (attempts) => attempts.ofWebhook(webhook.id)),
    accounts: WebhookFixture.accounts(subscription.id)
  }
})

const variablesOf = ({ url }: ObjectStore.ObjectStore) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_REGION: region,
  AWS_ENDPOINT_URL_S3: `${url}/`
})

const contents = ({ objects }: ObjectStore.ObjectStore) =>
  [...objects].map(([name, bytes]) => [name, gunzipSync(bytes).toString()] as const)

it.effect("an object fails to be sent where the server itself does, after the attempt has returned", () =>
  Effect.gen(function*() {
    const send = yield* ObjectSend.make
    const memory = { webhook: { accountId: "acc_1", id: "whk_1", workflowId: "p_1" } } as unknown as WebhookMemory
    const attempt = { deliveryId: "d", subscriptionId: "s", attempt: 1, event: { emitId: "e" } } as AttemptRequest
    const { outcome, record } = yield* Effect.callback<AttemptResult>((resume) => {
      send(memory, attempt, (result) => resume(Effect.succeed(result)))
    })
    assert.strictEqual(outcome._tag, "Failed")
    assert.strictEqual(record.errorClass, "internal")
  }).pipe(
    Effect.provideService(Programs, { getById: () => Effect.die("broken") } as unknown as Programs["Service"]),
    Effect.provideService(Environments, {} as Environments["Service"]),
    Effect.provideService(EgressHttp, {} as EgressHttp["Service"])
  ))

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })("$.send.s3", (it) => {
  it.effect("writes what comes within a minute into an object for each bucket and prefix, as lines of JSON", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 28, 9, 59, 58))
      const { accounts, after, emit, setVariables, store } = yield* setup()
      yield* setVariables(variablesOf(store))
      yield* emit([line({ n: 1, text: "ü\n" }), line("two", { bucket: "two", prefix: "a b/ü+" })])
      yield* after(30_000)
      yield* emit([line(3)])
      assert.lengthOf(store.requests, 0)
      yield* after(30_000)
      const written = contents(store)
      assert.deepStrictEqual(written.map(([, text]) => text), [`{"n":1,"text":"ü\\n"}\n3\n`, `"two"\n`])
      assert.match(written[0]![0], /^one\/2026\/11\/28\/09\/2026-11-28-09-59-58-[\w-]{24}\.gz$/)
      assert.match(written[1]![0], /^two\/a b\/ü\+\/2026\/11\/28\/09\/2026-11-28-09-59-58-[\w-]{24}\.gz$/)
      assert.deepInclude(yield* accounts, { n: 3, delivered: 3 })
    })))

  it.effect("is tried again until each object is taken, under the same keys, and shows what came back", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { accounts, after, attempts, emit, setVariables, store } = yield* setup((count) =>
        count === 1 ? 500 : undefined
      )
      yield* emit([line(1), line(2, { bucket: "two" })])
      yield* after(60_000)
      assert.lengthOf(store.requests, 0)
      const [unset] = yield* attempts
      assert.deepInclude(unset!, { outcome: "failed", errorClass: "no_credentials" })
      yield* setVariables(variablesOf(store))
      yield* after(10_000)
      const failed = (yield* attempts).find(({ attempt }) => attempt === 2)!
      assert.deepInclude(failed, { outcome: "failed", errorClass: "status", status: 500 })
      assert.include(Buffer.from(failed.responseBody!).toString(), "SlowDown")
      assert.deepInclude(yield* accounts, { n: 2, pending: 2 })
      yield* after(7 * 60_000)
      assert.deepStrictEqual(contents(store).map(([, text]) => text), ["1\n", "2\n"])
      assert.strictEqual(new Set(store.requests).size, 2)
      assert.deepInclude(yield* accounts, { n: 2, delivered: 2 })
    })))

  it.effect("writes the objects of the buckets that are there though others are not", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { accounts, after, attempts, emit, setVariables, store } = yield* setup()
      yield* setVariables(variablesOf(store))
      yield* emit([line(1, { bucket: "missing" }), line(2), line(3, { bucket: "gone" }), line(4, { bucket: "two" })])
      yield* after(60_000)
      assert.deepStrictEqual(contents(store).map(([, text]) => text), ["2\n", "4\n"])
      const [attempt] = yield* attempts
      assert.deepInclude(attempt!, { outcome: "failed", status: 404 })
      assert.deepInclude(yield* accounts, { n: 4, pending: 4 })
    })))

  it.effect("shows the answer to who has no right to write", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { after, attempts, emit, setVariables, store } = yield* setup()
      yield* setVariables({ ...variablesOf(store), AWS_SECRET_ACCESS_KEY: "another" })
      yield* emit([line(1)])
      yield* after(60_000)
      const [attempt] = yield* attempts
      assert.deepInclude(attempt!, { outcome: "failed", status: 403 })
      assert.include(Buffer.from(attempt!.responseBody!).toString(), "SignatureDoesNotMatch")
    })))

  it.effect("writes no line whose prefix can be none, or leaves its bucket", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { accounts, after, emit, setVariables, store } = yield* setup()
      yield* setVariables(variablesOf(store))
      const prefixes = ["../two", "a/../../two", "./a", "a/..", "\ud800", "é".repeat(451)]
      yield* emit(prefixes.map((prefix) => line(1, { prefix })))
      yield* emit([line(2, { prefix: "..a/b../..." }), line(3, { prefix: "é".repeat(450) })])
      yield* after(60_000)
      assert.deepStrictEqual(contents(store).map(([, text]) => text), ["2\n", "3\n"])
      assert.lengthOf(store.requests, 2)
      for (const name of store.objects.keys()) {
        assert.match(name, /^one\/(\.\.a\/b\.\.\/\.\.\.|é{450})\/\d/)
        assert.isAtMost(Buffer.byteLength(name), "one/".length + 1_024)
      }
      assert.deepInclude(yield* accounts, { n: 8, delivered: 8 })
    })))

  it.effect("reaches no address that the egress guard refuses", () =>
    EngineFixture.onTestClock(Effect.gen(function*() {
      const { after, attempts, emit, setVariables, store } = yield* setup()
      yield* setVariables({ ...variablesOf(store), AWS_ENDPOINT_URL_S3: "http://10.1.2.3:9000" })
      yield* emit([line(1)])
      yield* after(60_000)
      assert.deepInclude((yield* attempts)[0]!, { outcome: "failed", errorClass: "refused" })
    })))
})
