export default {
  key: "schedule",
  name: "Schedule",
  version: "1.0.0",
  description: "Emits an event on a schedule: at an interval in seconds, or by a cron expression.",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "When",
      default: { intervalSeconds: 60 }
    },
    db: "$.service.db"
  },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ ...event, count }, { summary: `tick ${count}` })
  }
}
