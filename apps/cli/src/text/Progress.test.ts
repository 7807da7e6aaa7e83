import { assert, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Progress from "./Progress.ts"

it.effect("writes nothing over a question", () =>
  Effect.gen(function*() {
    const { isTTY } = process.stderr
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        write.mockRestore()
        process.stderr.isTTY = isTTY
      })
    )
    process.stderr.isTTY = true
    let doing: string | undefined = "Fetching"
    const written = () => write.mock.calls.map(([text]) => String(text)).join("")
    yield* Progress.during(() => doing)(Effect.never).pipe(Effect.forkScoped)
    yield* TestClock.adjust("2 seconds")
    assert.match(written(), /Fetching … 2 s$/)
    doing = undefined
    yield* Progress.cleared
    const before = written()
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(written(), before)
    assert.isTrue(before.endsWith("\r\u001b[K"))
  }).pipe(Effect.scoped))
