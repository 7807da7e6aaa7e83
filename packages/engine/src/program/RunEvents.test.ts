import { assert, it } from "@effect/vitest"
import { maxComponentDepth } from "@headwater/domain/JsonDepth"
import type { RunEmit } from "@headwater/sandbox/Run"
import * as RunEvents from "./RunEvents.ts"

const made = (...emits: ReadonlyArray<RunEmit>) => {
  const making = RunEvents.make({
    origin: {
      accountId: "u_a",
      programId: "dc_a",
      deploymentId: "sc_a",
      cellId: "dc_a",
      input: { kind: "HTTP", eventJson: "{}", id: "1-0", at: 0, hops: 0 }
    },
    result: {
      outcome: "success",
      emits,
      logs: [],
      db: {},
      stores: [],
      wallMs: 1,
      ownMs: 1,
      cpuMs: 1,
      responded: false,
      connections: 0
    },
    strategy: null,
    known: new Map(),
    streams: new Set(),
    now: 0,
    emitId: () => "e"
  })
  for (let steps = 1;; steps++) {
    const step = making.next()
    if (step.done === true) return { steps, streams: step.value.events.map(({ stream }) => stream) }
  }
}

it("reads one emit of a megabyte in many steps", () => {
  const large = made({ payload: JSON.stringify(Array.from({ length: 100_000 }, () => "0123456")) })
  assert.deepStrictEqual(large.streams, [""])
  assert.isAtLeast(large.steps, 20)
})

it("has no event of a large payload that can't be read again", () => {
  const filled = (text: string) => `["${"x".repeat(100_000)}",${text}]`
  const deep = "[".repeat(maxComponentDepth) + "]".repeat(maxComponentDepth)
  for (const text of ["", deep]) assert.deepStrictEqual(made({ payload: filled(text) }).streams, ["$errors"])
})
