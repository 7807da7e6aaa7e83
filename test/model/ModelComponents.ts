import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import { Components } from "@headwater/log/resources/Components"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Kind } from "./Command.ts"
import { fateOf } from "./Fate.ts"
import * as ModelBatch from "./ModelBatch.ts"
import { pathOf } from "./ModelKeeper.ts"
import { keep } from "./ModelStore.ts"
import { delaySeconds, returnSeconds, suspensionSeconds } from "./ModelWorkflow.ts"

const hooks = `
  hooks: {
    async deploy() { this.$emit({ hook: "deploy" }) },
    async activate() { this.$emit({ hook: "activate" }) },
    async deactivate() { this.$emit({ hook: "deactivate" }) }
  },`

const count = `
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    const by = process.env.PD_COMPONENT`

/** The code of each kind of source. Each event says who emitted it and how many runs there had been. */
const codeOf: Record<Kind, string> = {
  counter: `
export default {
  props: { http: "$.interface.http", db: "$.service.db" },${hooks}
  async run({ body }) {${count}
    this.$emit({ by, count, key: body.key })
    if (body.laterAt) this.$emit({ by, later: body.key }, { delivery_ts: body.laterAt })
    if (body.fail) throw new Error("as asked")
    this.$emit({ by, count, key: body.key, whole: true })
  }
}`,
  unique: `
export default {
  dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },${hooks}
  async run({ body }) {${count}
    this.$emit({ by, count, id: body.id }, { id: body.id })
  }
}`,
  listener: `
export default {
  props: { db: "$.service.db" },
  async run(event) {${count}
    this.$emit({ by, count, heard: event })
  }
}`,
  lister: `
export default {
  batch: ${JSON.stringify(ModelBatch.batchOf(ModelBatch.ofLister))},
  props: { db: "$.service.db" },
  async run(events) {${count}
    this.$emit({ by, count, list: events })
  }
}`,
  timer: `
export default {
  props: { timer: "$.interface.timer", db: "$.service.db" },
  async run(event) {${count}
    this.$emit({ by, count, timestamp: event.timestamp })
  }
}`,
  storing: `
const keep = ${keep}
export default {
  props: { http: "$.interface.http", db: "$.service.db", store: "data_store" },
  async run({ body }) {${count}
    const kept = await keep(this.store, by, count, body.key)
    this.$emit({ by, count, key: body.key, kept, added: "all" })
    if (body.laterAt) this.$emit({ by, later: body.key }, { delivery_ts: body.laterAt })
    if (body.fail) throw new Error("as asked")
    this.$emit({ by, count, key: body.key, whole: true })
  }
}`,
  keeper: `
const keep = ${keep}
const pathOf = ${pathOf}
const step = (name, counts) => ({
  async run({ steps, $ }) {
    const by = process.env.PD_COMPONENT
    const count = counts === false ? undefined : (this.db.get("count") ?? 0) + 1
    if (count !== undefined) this.db.set("count", count)
    const { event } = steps.trigger
    const kept = await keep(this.store, by, event.n + pathOf(event.n).indexOf(name), $.context.id)
    $.emit({ by, count, step: name, run: $.context.id, n: event.n, event, kept, added: "all" })
    if (name === "first" && event.n % 7 === 3) $.flow.suspend(${1_000 * suspensionSeconds})
    if (name === "left" && event.n % 4 === 2 && $.context.run.runs === 1) throw new Error("once")
  }
})
export default {
  props: { db: "$.service.db", store: "data_store" },
  steps: {
    first: step("first"),
    parity: {
      if: "{{ steps.trigger.event.n % 2 === 1 }}",
      then: { odd: step("odd") },
      else: { even: step("even") }
    },
    rest: {
      switch: "{{ steps.trigger.event.n % 3 }}",
      cases: { 0: { zero: step("zero") }, 1: { one: step("one") } },
      default: { other: step("other") }
    },
    sides: { parallel: { a: { left: step("left", false) }, b: { right: step("right", false) } } },
    rules: {
      branches: {
        byTwo: { when: ({ steps }) => steps.trigger.event.n % 2 === 0, steps: { two: step("two") } },
        byFive: { when: ({ steps }) => steps.trigger.event.n % 5 === 0, steps: { five: step("five") } }
      },
      match: "every"
    },
    last: step("last")
  }
}`,
  workflow: `
const fateOf = ${fateOf}
export default {
  props: {
    http: "$.interface.http",
    timer: "$.interface.timer",
    db: "$.service.db",
    version: { type: "integer", default: 0 },
    place: "string"
  },
  steps: {
    hear: {
      run({ steps, $ }) {${count}
        const { event } = steps.trigger
        $.emit({ by, count, heard: event, run: $.context.id })
        const fate = fateOf(JSON.stringify(event))
        if (fate === "goes") $.send.http({ url: this.place, data: { run: $.context.id, count } })
        if (fate === "waits") $.flow.delay(${1_000 * delaySeconds})
        if (fate === "lapses") $.flow.suspend(${1_000 * suspensionSeconds})
        return { count, version: this.version }
      }
    },
    goOn: {
      run({ steps, $ }) {${count}
        const { context, runs } = $.context.run
        const given = steps.hear.$return_value
        $.emit({ by, count, given, run: $.context.id, version: this.version, runs, context: context ?? null })
        const fate = fateOf(JSON.stringify(steps.trigger.event))
        if (fate === "returns") $.flow.rerun(${1_000 * returnSeconds}, { runs }, 1)
        if (fate === "falls" || (fate === "stumbles" && runs === 1)) throw new Error(fate)
      }
    }
  }
}`
}

export const isWorkflow = (kind: Kind): boolean => kind === "workflow" || kind === "keeper"

/** How often a timer ticks, in seconds. */
export const tickSeconds = 900

const hashOf = (code: string): string => createHash("sha256").update(code).digest("hex")

const stepOf = (step: { readonly name: string }) =>
  Effect.map(Id.make("step"), (id) => ({ id: Id.StepId.make(id), ...step }))

/** Makes a component of a kind. */
export const insert = Effect.fnUntraced(function*(accountId: Id.AccountId, kind: Kind) {
  const code = codeOf[kind]
  const codeHash = hashOf(code)
  const { dedupe, hooks, props, steps } = yield* (yield* Sandbox).inspect({
    accountId,
    kind: isWorkflow(kind) ? "workflow" : "source",
    module: { code, hash: codeHash }
  })
  const component: Component = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId,
    key: null,
    code,
    codeHash,
    linked: null,
    name: kind,
    version: "1",
    type: null,
    description: null,
    url: null,
    dedupe: dedupe ?? null,
    hooks,
    batch: kind === "lister" ? ModelBatch.batchOf(ModelBatch.ofLister) : null,
    hasAdditionalProps: false,
    steps: steps === undefined ? null : yield* Effect.forEach(steps, stepOf),
    configurableProps: props,
    createdAt: 0,
    updatedAt: 0
  }
  yield* (yield* Components).insert(component)
  return component
})
