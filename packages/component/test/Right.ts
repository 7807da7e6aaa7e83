import {
  type AppName,
  type Db,
  defineApp,
  defineSource,
  defineWorkflow,
  type HttpEvent,
  type StepInput,
  type Store,
  type Timer,
  type TimerEvent
} from "@headwater/component"

type IsAny<A> = 0 extends 1 & A ? true : false

/** Whether each type takes what the other does; `any` does so only with itself. */
type Same<A, B> = IsAny<A> extends IsAny<B> ? [A, B] extends [B, A] ? true : false : false
const same = <A, B>(isSame: Same<A, B>): void => void isSame

interface Shop {
  readonly url: string
  readonly token: string
}

export const shop = defineApp({
  type: "app",
  app: "shop" as AppName<Shop>,
  propDefinitions: {
    region: { type: "string", label: "Region", options: ["north", "south"], default: "north" },
    limit: { type: "integer", min: 1, max: 100, optional: true },
    branch: {
      type: "string",
      async options({ page, prevContext, region }) {
        same<typeof page, number>(true)
        const branches: ReadonlyArray<{ id: string; name: string }> = await this.get(
          `/branches?region=${region}&after=${prevContext.after ?? 0}`
        )
        return { options: branches.map(({ id, name }) => ({ label: name, value: id })), context: { after: page } }
      }
    }
  },
  methods: {
    async get<A>(path: string): Promise<A> {
      same<typeof this.$auth, Shop>(true)
      const response = await fetch(`${this.$auth.url}${path}`, { headers: this.headers() })
      return response.json() as Promise<A>
    },
    headers() {
      return { authorization: `Bearer ${this.$auth.token}` }
    }
  }
})

/** Every kind of prop. */
export const every = defineSource({
  name: "Every",
  key: "every",
  version: "0.0.1",
  type: "source",
  description: "Has all",
  dedupe: "unique",
  props: {
    shop,
    shortText: "string",
    text: { type: "string", label: "Text", description: "A text", secret: true },
    chosen: { type: "string", options: ["EUR", "USD"], default: "EUR" },
    labelled: { type: "integer", options: [{ label: "One", value: 1 }, { label: "Two", value: 2 }] },
    withLabel: { type: "string", options: ["a", "b"], withLabel: true },
    perhaps: { type: "string", optional: true },
    given: { type: "string", optional: true, default: "x" },
    fixed: { type: "boolean", static: true },
    count: { type: "integer", min: 0, max: 9 },
    flag: "boolean",
    texts: "string[]",
    some: { type: "string[]", options: ["x", "y"], optional: true },
    counts: "integer[]",
    flags: "boolean[]",
    object: { type: "object", optional: true },
    anything: "any",
    rows: { type: "sql", auth: { app: "shop" } },
    dataStore: "data_store",
    folder: "dir",
    info: { type: "alert", alertType: "info", content: "Hello" },
    request: "http_request",
    computed: { type: "string", options: Object.keys({ a: 1 }), default: "a" },
    asked: {
      type: "string",
      async options({ page, query }) {
        same<typeof page, number>(true)
        return this.texts.filter((each: string) => each.startsWith(query ?? ""))
      }
    },
    region: { propDefinition: [shop, "region"] },
    limit: { propDefinition: [shop, "limit"] },
    atMost: { propDefinition: [shop, "limit"], optional: false, default: 5 },
    branch: { propDefinition: [shop, "branch", ({ region }) => ({ region })], description: "Whose orders to emit." },
    db: "$.service.db" as Db<{ count: number; [order: `order ${string}`]: { total: number } }>,
    cache: { type: "$.service.db", label: "Cache" },
    http: { type: "$.interface.http", customResponse: true },
    timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } },
    own: { type: "string", ofMyOwn: { anything: true } }
  },
  methods: {
    total(order: string) {
      return this.db.get(`order ${order}`)?.total ?? 0
    },
    twice(order: string) {
      return this.total(order) * 2
    }
  },
  hooks: {
    async deploy() {
      same<typeof this.http.endpoint, string>(true)
      await this.$emit({ hello: true })
    },
    activate() {},
    async deactivate() {
      this.db.set("count", undefined)
    }
  },
  async run(event) {
    same<typeof event, HttpEvent | TimerEvent>(true)
    same<typeof this.shortText, string>(true)
    same<typeof this.text, string>(true)
    same<typeof this.chosen, "EUR" | "USD">(true)
    same<typeof this.labelled, 1 | 2>(true)
    same<typeof this.withLabel, { readonly label: string; readonly value: "a" | "b" }>(true)
    same<typeof this.perhaps, string | undefined>(true)
    same<typeof this.given, string>(true)
    same<typeof this.fixed, boolean>(true)
    same<typeof this.count, number>(true)
    same<typeof this.flag, boolean>(true)
    same<typeof this.texts, ReadonlyArray<string>>(true)
    same<typeof this.some, ReadonlyArray<"x" | "y"> | undefined>(true)
    same<typeof this.counts, ReadonlyArray<number>>(true)
    same<typeof this.flags, ReadonlyArray<boolean>>(true)
    same<typeof this.object, Record<string, any> | undefined>(true)
    same<typeof this.computed, string>(true)
    same<typeof this.asked, string>(true)
    same<typeof this.region, "north" | "south">(true)
    same<typeof this.limit, number | undefined>(true)
    same<typeof this.atMost, number>(true)
    same<typeof this.branch, string>(true)
    same<typeof this.timer, Timer>(true)
    same<typeof this.cache, Store>(true)
    same<ReturnType<typeof this.twice>, number>(true)
    same<typeof this.shop.$auth, Shop>(true)
    const { branches } = await this.shop.get<{ branches: ReadonlyArray<string> }>("/branches")
    same<typeof branches, ReadonlyArray<string>>(true)
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.db.set("order 17", { total: this.total("17") })
    const { data, status } = await this.request.execute({ body: { order: 17 } })
    same<typeof status, number>(true)
    if ("body" in event) {
      await this.http.respond({ status: 201, headers: { "x-order": 17 }, body: { data } })
    } else {
      this.$emit({ every: event.interval_seconds }, { ts: event.timestamp, delivery_ts: Date.now() + 1000 })
    }
    this.$emit("text", { id: { order: 17 }, name: "returns", summary: "order 17", ts: new Date() })
    this.$emit(null, { id: count, ts: "2026-01-02T00:00:00Z" })
  },
  sampleEmit: { order: 17 }
})

export const httpSource = defineSource({
  props: { http: "$.interface.http" },
  run(event) {
    same<typeof event, HttpEvent>(true)
    this.$emit(event.body.order, { summary: `${event.method} ${event.path} ${event.headers["x"]} ${event.bodyRaw}` })
  }
})

interface Order {
  readonly order: number
}

/** The author says what the body is. */
export const ordered = defineSource({
  props: { http: "$.interface.http" },
  run({ body }: HttpEvent<Order>) {
    same<typeof body.order, number>(true)
    this.$emit({ order: body.order })
  }
})

export const poller = defineSource({
  props: { timer: { type: "$.interface.timer", static: { cron: "0 9 * * 1-5", timezone: "Europe/Berlin" } } },
  run({ timestamp }) {
    same<typeof timestamp, number>(true)
    this.$emit(this.timer.cron)
  }
})

/** Without `run`, what the interface gets is emitted. */
export const plain = defineSource({ props: { http: "$.interface.http" } })

/** Without an interface, it gets what others emit. */
export const listener = defineSource({
  props: { db: "$.service.db" },
  run(event: Order) {
    this.db.set("last", event.order)
    const last: number = this.db.get("last")
    this.$emit(last)
  }
})

export const batched = defineSource({
  batch: { maxEvents: 500, maxWaitMs: 5_000 },
  props: { url: "string" },
  run(events) {
    this.$emit(events.length)
  }
})

export const batchedOrders = defineSource({
  batch: true,
  run(events: ReadonlyArray<Order>) {
    this.$emit(events.map(({ order }) => order))
  }
})

/** The code adds props that only it knows. */
export const adding = defineSource({
  props: {
    http: "$.interface.http",
    format: { type: "string", options: ["plain", "table"], default: "plain", reloadProps: true }
  },
  additionalProps() {
    return this.format === "table" ? { columns: { type: "string[]", label: "Columns" } } : {}
  },
  run(event) {
    same<typeof this.format, "plain" | "table">(true)
    const columns: ReadonlyArray<string> = this.columns ?? []
    this.$emit(columns.map((column) => event.body[column]))
  }
})

export const chat = defineSource({
  props: {
    chat: { type: "app", app: "chat", optional: true },
    channels: "string[]",
    apphook: {
      type: "$.interface.apphook",
      appProp: "chat",
      eventNames() {
        return this.channels.map((channel: string) => `message:${channel}`)
      }
    }
  },
  run(event) {
    this.$emit(event.text, { summary: `${this.apphook.endpoint} ${this.chat.$auth["token"]}` })
  }
})

/** Members may come in any order. */
export const anyOrder = defineSource({
  async run(event) {
    same<typeof event, HttpEvent>(true)
    this.$emit(this.double(this.count))
  },
  methods: {
    double(count: number) {
      return count * 2
    }
  },
  props: { http: "$.interface.http", count: "integer" }
})

export const workflow = defineWorkflow({
  name: "Large orders",
  props: {
    limit: { type: "integer", default: 100 },
    currency: { type: "string", default: "EUR" },
    shop
  },
  methods: {
    inWords(total: number) {
      return `${total} ${this.currency}`
    }
  },
  steps: {
    check: {
      async run({ steps, $ }) {
        const { order, total } = steps.trigger.event
        if (total < this.limit) return $.flow.exit("a small order")
        await this.shop.get("/orders")
        $.export("first", order)
        return { order, over: total - this.limit }
      }
    },
    tell: {
      props: {
        greeting: { type: "string", options: ["Hello", "Hi"] },
        limit: "string",
        db: "$.service.db" as Db<{ seen: number }>
      },
      methods: {
        greet(name: string) {
          return `${this.greeting}, ${name}`
        }
      },
      run({ steps, $ }) {
        same<typeof this.greeting, "Hello" | "Hi">(true)
        same<typeof this.limit, string>(true)
        const { order, over } = steps["check"]!.$return_value
        const seen = (this.db.get("seen") ?? 0) + 1
        this.db.set("seen", seen)
        $.emit({ order, over, text: this.greet(this.inWords(over)) }, { summary: `order ${order}` })
        $.send.emit({ order }, "large")
        $.send.s3({ bucket: "orders", prefix: "large", payload: { order } })
        $.send.http({ method: "POST", url: "https://example.com", headers: { "x-order": 17 }, data: { order } })
        const { context, runs } = $.context.run
        same<typeof runs, number>(true)
        $.flow.rerun(50, [...(context ?? []), runs], 2)
        $.flow.delay(100)
      }
    },
    respond: {
      async run({ $ }) {
        await $.respond({ status: 202, body: { taken: true } })
      }
    }
  }
})

export const httpWorkflow = defineWorkflow({
  props: { http: { type: "$.interface.http", customResponse: true } },
  run({ steps, $ }) {
    same<typeof steps.trigger.event.method, string>(true)
    same<typeof steps.trigger.context.id, string>(true)
    $.emit({ ...steps.trigger.event.body, at: this.http.endpoint })
  }
})

/** Steps of which each has `run` alone. */
export const bare = defineWorkflow({
  props: { limit: { type: "integer", default: 100 } },
  steps: {
    check: {
      run({ steps, $ }) {
        if (steps.trigger.event.total < this.limit) return $.flow.exit()
        return this.limit
      }
    },
    tell: {
      run({ $ }) {
        $.emit(this.limit)
      }
    }
  }
})

/** The author says what begins a run, and what steps have given. */
export const told = defineWorkflow({
  steps: {
    check: {
      run({ steps }: StepInput<Order>) {
        return steps.trigger.event.order
      }
    },
    tell: {
      run({ steps, $ }: StepInput<Order, { readonly check: { readonly $return_value: number } }>) {
        same<typeof steps.check.$return_value, number>(true)
        $.emit(steps.check.$return_value)
      }
    }
  }
})

export const oneStep = defineWorkflow({
  run({ steps, $ }) {
    $.emit({ ...steps.trigger.event, seen: true })
  }
})

defineComponent({
  props: { limit: "integer" },
  async run({ steps, $ }: StepInput) {
    const { attempt, deadline, workflow_name } = $.context
    const known: readonly [number, number, string] = [attempt, deadline, workflow_name]
    if (steps.trigger.event.total < this.limit) return $.flow.exit("a small order")
    return known
  }
})

export const visiting = defineSource({
  props: { visits: { type: "data_store" } },
  async run() {
    await this.visits.set("a", { n: 1 }, { ttl: 60 })
    same<Awaited<ReturnType<typeof this.visits.increment>>, number>(true)
    for await (const [key] of this.visits) same<typeof key, string>(true)
    this.$emit(await this.visits.compareAndSet("a", undefined, 1))
  }
})

const shout = defineComponent({
  key: "text-shout",
  type: "action",
  props: { text: "string", times: { type: "integer", default: 1 } },
  async run({ $ }: StepInput) {
    $.export("$summary", "shouted")
    return this.text.repeat(this.times)
  }
})

defineWorkflow({
  steps: {
    total: { lang: "python", props: { url: "string" }, code: "def handler(pd): return 1" },
    tell: { run: ({ steps, $ }) => $.emit(steps.total?.$return_value) }
  }
})

defineWorkflow({ steps: { shout, tell: { run: ({ steps, $ }) => $.emit(steps.shout?.$return_value) } } })
