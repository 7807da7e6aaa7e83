import type { Kind } from "./Command.ts"
import { fateOf } from "./Fate.ts"
import { delaySeconds } from "./ModelWorkflow.ts"

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
export const codeOf: Record<Kind, string> = {
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
  timer: `
export default {
  props: { timer: "$.interface.timer", db: "$.service.db" },
  async run(event) {${count}
    this.$emit({ by, count, timestamp: event.timestamp })
  }
}`,
  workflow: `
const fateOf = ${fateOf}
export default {
  props: { db: "$.service.db", version: { type: "integer", default: 0 } },
  steps: {
    hear: {
      run({ steps, $ }) {${count}
        const { event } = steps.trigger
        $.emit({ by, count, heard: event, run: $.context.id })
        if (fateOf(JSON.stringify(event)) === "waits") $.flow.delay(${1_000 * delaySeconds})
        return { count, version: this.version }
      }
    },
    goOn: {
      run({ steps, $ }) {${count}
        $.emit({ by, count, given: steps.hear.$return_value, run: $.context.id, version: this.version })
        const fate = fateOf(JSON.stringify(steps.trigger.event))
        if (fate === "falls" || (fate === "stumbles" && $.context.run.runs === 1)) throw new Error(fate)
      }
    }
  }
}`
}

/** How often a timer ticks, in seconds. */
export const tickSeconds = 900
