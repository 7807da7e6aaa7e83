import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Batch, CommittedTopic } from "./CommittedTopic.ts"

it.effect("tells each listener of all batches in their order, though another one fails over each", () =>
  Effect.gen(function*() {
    const topic = new CommittedTopic()
    yield* Effect.forkScoped(topic.telling)
    yield* topic.listen(() => assert.fail("a defect"))
    const heard: Array<Batch> = []
    yield* topic.listen((batch) => void heard.push(batch))
    const batches = ["u_1", "u_2", "u_3"].map((accountId): Batch => [{ accountId, events: [] }])
    const [first, ...others] = batches
    topic.tell(first!)
    assert.isFalse(topic.isTold)
    yield* Effect.repeat(Effect.yieldNow, { until: () => topic.isTold })
    for (const batch of others) topic.tell(batch)
    yield* Effect.repeat(Effect.yieldNow, { until: () => topic.isTold })
    assert.deepStrictEqual(heard, batches)
  }))
