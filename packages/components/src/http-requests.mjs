export default {
  key: "headwater-http-requests",
  name: "HTTP requests",
  version: "1.2.0",
  type: "source",
  description: "Emits an event for every HTTP request to its endpoint.",
  dedupe: "unique",
  exactNumbers: true,
  props: {
    http: "$.interface.http",
    bodyOnly: {
      type: "boolean",
      label: "Body only",
      description: "Emit the parsed body of a request alone, without method, path, query and headers.",
      default: false
    },
    idHeader: {
      type: "string",
      label: "Id header",
      description: "Name of a header that is the same where a request is sent again, such as Idempotency-Key. Of " +
        "requests with the same one only the first is emitted.",
      optional: true
    }
  },
  async run(request) {
    this.$emit(this.bodyOnly ? request.body ?? null : request, {
      id: request.headers[this.idHeader?.toLowerCase()] || undefined,
      summary: `${request.method} ${request.path}`
    })
  },
  sampleEmit: {
    method: "POST",
    path: "/orders",
    query: {},
    headers: { "content-type": "application/json" },
    bodyRaw: "{\"order\":17}",
    body: { order: 17 },
    client_ip: "192.0.2.1",
    url: "https://events.example.com/http/9jM6lgPyV3utddjDpCvUDLHT/orders"
  }
}
