import { sendUntilTaken } from "./Web.mjs"

/** What the events are written as, and how that is called. */
const formats = {
  json: { type: "application/json", write: (events) => JSON.stringify(events) },
  ndjson: {
    type: "application/x-ndjson",
    write: (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("")
  }
}

export default {
  key: "headwater-batch-post",
  name: "Batch post",
  version: "1.1.0",
  type: "source",
  description: "Posts the events of the sources that it listens to, many together, to a service that takes rows: a " +
    "database over HTTP, a REST proxy of Kafka, or an ingest endpoint.",
  batch: { maxEvents: 500, maxWaitMs: 5_000 },
  exactNumbers: true,
  props: {
    url: {
      type: "string",
      label: "URL",
      description: "Where to post.",
      secret: true
    },
    method: { type: "string", label: "Method", options: ["POST", "PUT"], default: "POST" },
    headers: {
      type: "object",
      label: "Headers",
      description: "Headers of the request, such as Authorization.",
      optional: true,
      secret: true
    },
    format: {
      type: "string",
      label: "Format",
      description:
        "json: a list. ndjson: a line for each event, as ClickHouse (JSONEachRow) and Elasticsearch take them.",
      options: Object.keys(formats),
      default: "json"
    },
    wrap: {
      type: "string",
      label: "Field for each event",
      description:
        "Each event goes as an object with the event in this field, as in value for the REST proxy of Kafka. " +
        "Default: as it is.",
      optional: true
    },
    field: {
      type: "string",
      label: "Field for the list",
      description: "The list goes in this field of an object, such as records. Only for json. Default: as it is.",
      optional: true
    }
  },
  methods: {
    bodyOf(events) {
      const rows = this.wrap ? events.map((event) => ({ [this.wrap]: event })) : events
      return formats[this.format].write(this.field && this.format === "json" ? { [this.field]: rows } : rows)
    }
  },
  async run(events) {
    const status = await sendUntilTaken(this.url, {
      method: this.method,
      headers: { "content-type": formats[this.format].type, ...this.headers },
      body: this.bodyOf(events),
      timeoutSeconds: 30,
      pausesSeconds: [1, 5, 15]
    })
    this.$emit({ events: events.length, status }, { summary: `${events.length} events` })
  },
  sampleEmit: { events: 500, status: 200 }
}
