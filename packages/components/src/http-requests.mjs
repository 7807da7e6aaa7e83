export default {
  key: "headwater-http-requests",
  name: "HTTP requests",
  version: "1.0.0",
  type: "source",
  description: "Emits an event for every HTTP request to its endpoint.",
  props: {
    http: "$.interface.http",
    bodyOnly: {
      type: "boolean",
      label: "Body only",
      description: "Emit the parsed body of a request alone, without method, path, query and headers.",
      default: false
    }
  },
  async run(request) {
    this.$emit(this.bodyOnly ? request.body ?? null : request, {
      summary: `${request.method} ${request.path}`
    })
  }
}
