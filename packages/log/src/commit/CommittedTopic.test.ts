import { assert, it } from "@effect/vitest"
import { Effect, PubSub } from "effect"
import * as CommittedTopic from "./CommittedTopic.ts"

const mebibyte = 1024 * 1024

it.effect("holds so many bytes at most for readers that are behind, and tells those again that catch up", () =>
  Effect.gen(function*() {
    const topic = yield* CommittedTopic.make
    const fast = yield* PubSub.subscribe(topic.batches)
    const slow = yield* PubSub.subscribe(topic.batches)
    for (let n = 0; n < 100; n++) topic.publishUnsafe([], mebibyte)
    assert.strictEqual((yield* PubSub.takeAll(fast)).length, 32)
    topic.publishUnsafe([], 1)
    assert.strictEqual((yield* PubSub.takeAll(slow)).length, 32)
    // One batch may be larger by itself.
    topic.publishUnsafe([], 100 * mebibyte)
    topic.publishUnsafe([], 1)
    assert.strictEqual((yield* PubSub.takeAll(fast)).length, 1)
    assert.strictEqual((yield* PubSub.takeAll(slow)).length, 1)
    for (let n = 0; n < 300; n++) topic.publishUnsafe([], 1)
    assert.strictEqual((yield* PubSub.takeAll(slow)).length, 256)
  }))
