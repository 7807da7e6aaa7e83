import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Deployment from "../Deployment.ts"
import * as FilledAttempts from "../FilledAttempts.ts"
import * as Progress from "../Progress.ts"
import * as Scenario from "../Scenario.ts"
import { latency, rounded } from "../Statistics.ts"
import { timed } from "../TimedRequests.ts"
import type { Workbench } from "../Workbench.ts"

const code = `export default { name: "Bench lists", async run() {} }`

const sources = 10
const webhooks = 10

/** How often each list is asked for. */
const asked = 100

const scenario = (options: { readonly attempts: number }) =>
  Effect.fnUntraced(function*({ server }: Workbench) {
    const component = yield* Deployment.component(server, code)
    const emitters = yield* Effect.forEach(Array.from({ length: sources }), () => Deployment.source(server, component))
    const webhookIds = yield* Effect.forEach(
      Array.from({ length: webhooks }),
      (_, index) => Deployment.webhook(server, `http://127.0.0.1:9/${index}`)
    )
    yield* Progress.say(`writing ${options.attempts} attempts`)
    const emitterIds = emitters.map(({ id }) => id)
    const now = yield* FilledAttempts.make(server, { attempts: options.attempts, emitterIds, webhookIds })
    const middle = now - Math.floor(options.attempts / 2)
    const lists: Record<string, string> = {
      "all": "/deliveries?limit=50",
      "of a webhook": `/webhooks/${webhookIds[3]}/deliveries?limit=50`,
      "of an emitter": `/deliveries?limit=50&emitter_id=${emitterIds[3]}`,
      "delivered": "/deliveries?limit=50&state=delivered",
      "exhausted": "/deliveries?limit=50&state=exhausted",
      "status 5xx": "/deliveries?limit=50&status=5xx",
      "from the middle": `/deliveries?limit=50&until=${middle}`,
      "of a webhook, exhausted, from the middle": `/webhooks/${
        webhookIds[3]
      }/deliveries?limit=50&state=exhausted&until=${middle}`,
      "class of errors that is nowhere": "/deliveries?limit=50&error_class=dns"
    }
    const rows = new Array<readonly [string, number, number]>()
    for (const [name, path] of Object.entries(lists)) {
      const request = { method: "GET", path }
      yield* timed(server, Array.from({ length: 5 }, () => request))
      const found = latency(yield* timed(server, Array.from({ length: asked }, () => request)))
      rows.push([name, found.p50Ms, found.p99Ms])
    }
    const worst = Math.max(...rows.map(([, , p99]) => p99))
    return {
      scenario: "lists",
      throughput: asked,
      limit: asked,
      latency: { p50Ms: rows[0]![1], p99Ms: worst },
      lost: 0,
      duplicates: 0,
      voids: [],
      tables: [{ columns: ["first page of deliveries", "p50 ms", "p99 ms"], rows }],
      figures: {
        attempts: options.attempts,
        lists: Object.fromEntries(rows.map(([name, p50, p99]) => [name, [rounded(p50), rounded(p99)]]))
      }
    }
  })

/** Lists of deliveries over a long past. */
export const command = Command.make("lists", {
  ...Scenario.flags,
  attempts: Flag.Int("attempts").pipe(Flag.withDescription("Attempts there are"), Flag.withDefault(10_000_000))
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("How long the first page of a list of deliveries takes, with millions of attempts")
)
