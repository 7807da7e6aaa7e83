import { type AppName, type Db, defineApp, defineSource, defineWorkflow } from "@headwater/component"

const shop = defineApp({
  type: "app",
  app: "shop" as AppName<{ readonly token: string }>,
  propDefinitions: { region: { type: "string", options: ["north", "south"] } },
  methods: {
    async get(path: string) {
      // @ts-expect-error: the credentials have no such member
      return fetch(path, { headers: { authorization: this.$auth.tokn } })
    },
    list() {
      // @ts-expect-error: it gets a text
      return this.get(17)
    }
  }
})

export const ofThis = defineSource({
  props: {
    shop,
    limit: "integer",
    perhaps: { type: "string", optional: true },
    currency: { type: "string", options: ["EUR", "USD"] },
    region: { propDefinition: [shop, "region"] },
    db: "$.service.db" as Db<{ count: number }>,
    http: "$.interface.http"
  },
  methods: {
    total(count: number) {
      return count * this.limit
    }
  },
  hooks: {
    deploy() {
      // @ts-expect-error: there is no such prop
      return this.limt
    }
  },
  async run(event) {
    // @ts-expect-error: it is a number
    this.limit.toUpperCase()
    // @ts-expect-error: it may be missing
    void this.perhaps.length
    // @ts-expect-error: it is not one of the options
    if (this.currency === "GBP") return
    // @ts-expect-error: it is not one of the app's options
    if (this.region === "east") return
    // @ts-expect-error: the method takes a number
    this.total("17")
    // @ts-expect-error: there is no such method
    this.totl(17)
    // @ts-expect-error: the store has no such key
    this.db.get("cuont")
    // @ts-expect-error: the store has a number there
    this.db.set("count", "17")
    // @ts-expect-error: the app has no such method
    await this.shop.fetch("/orders")
    // @ts-expect-error: the credentials have no such member
    void this.shop.$auth.key.length
    // @ts-expect-error: a response has no such member
    await this.http.respond({ code: 200 })
    // @ts-expect-error: a request has no such member
    void event.content.length
    // @ts-expect-error: what goes with an event has no such member
    this.$emit(event, { sumary: "x" })
    // @ts-expect-error: a time is no such thing
    this.$emit(event, { ts: { year: 2026 } })
  }
})

export const ofTimer = defineSource({
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
  run(event) {
    // @ts-expect-error: a tick has no body
    this.$emit(event.body)
    // @ts-expect-error: it may be a cron expression
    this.timer.intervalSeconds.toFixed()
  }
})

export const ofBatch = defineSource({
  batch: true,
  run(events) {
    // @ts-expect-error: events come as a list
    this.$emit(events.order)
  }
})

export const ofBareSteps = defineWorkflow({
  props: { limit: "integer" },
  steps: {
    check: {
      run() {
        // @ts-expect-error: there is no such prop
        return this.limt
      }
    }
  }
})

export const ofSteps = defineWorkflow({
  props: { limit: "integer" },
  methods: {
    over(total: number): number {
      // @ts-expect-error: there is no such prop
      return total - this.limt
    }
  },
  steps: {
    check: {
      props: { greeting: "string" },
      run({ steps, $ }) {
        // @ts-expect-error: there is no such prop of the step or the workflow
        void this.greting.length
        // @ts-expect-error: the method takes a number
        this.over("17")
        // @ts-expect-error: a delay is a number of milliseconds
        $.flow.delay("1 day")
        // @ts-expect-error: there is no such service
        $.flow.sleep()
        // @ts-expect-error: what is exported has a name
        $.export({ total: 17 })
        // @ts-expect-error: a request has a URL
        $.send.http({ method: "POST" })
        // @ts-expect-error: the context has no such member
        return steps.trigger.context.source
      }
    },
    tell: {
      run() {
        // @ts-expect-error: it is a prop of another step
        return this.greeting
      }
    }
  }
})
