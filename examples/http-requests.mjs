export default {
  key: "http-requests",
  name: "HTTP requests",
  version: "1.0.0",
  description: "Emits an event for every request to its endpoint.",
  props: {
    http: "$.interface.http"
  },
  async run(event) {
    this.$emit(event, {
      summary: `${event.method} ${event.path}`
    })
  }
}
