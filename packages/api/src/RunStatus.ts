import { Schema } from "effect"

export const RunStatus = Schema.Literals(["running", "waiting", "success", "error", "cancelled"]).annotate({
  description: "waiting: until somebody resumes it, or a delay, a rerun or a retry is due."
})
