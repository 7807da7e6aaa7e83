export default {
  key: "schedule",
  name: "Schedule",
  version: "1.0.0",
  description: "Emits an event on a schedule: every so many seconds, or as a cron expression says.",
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
