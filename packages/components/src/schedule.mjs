export default {
  key: "headwater-schedule",
  name: "Schedule",
  version: "1.0.1",
  type: "source",
  description: "Emits an event on a schedule: at an interval in seconds, or by a cron expression.",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "An interval in seconds, or a cron expression with its time zone.",
      default: { intervalSeconds: 900 }
    }
  },
  async run(tick) {
    this.$emit(tick, {
      id: tick.timestamp,
      summary: new Date(tick.timestamp * 1000).toISOString(),
      ts: tick.timestamp * 1000
    })
  },
  sampleEmit: { timestamp: 1795254908, interval_seconds: 900 }
}
