import { Schema } from "effect"

const milliseconds = (what: string) => Schema.Int.annotate({ description: `${what} Unix time in milliseconds.` })

const counted = (what: string) => Schema.Int.annotate({ description: what })

/** The amount of each kind of work that fell due while the clock was moved. */
export const Fired = Schema.Struct({
  timer: counted("Ticks of timers."),
  emit: counted("Delayed events."),
  retry: counted("Deliveries that were due for another attempt."),
  resume: counted("Runs of workflows that had waited for their time."),
  wake: counted("Waits of rates, throttles, circuits, quotas and batches that were over."),
  delete: counted("Deletions that were left to do."),
  bulk: counted("Bulk actions that looked again whether they may go on.")
}).annotate({ description: "How much of each kind of work fell due on the way." })
export type Fired = typeof Fired.Type

export const nothingFired: Fired = { timer: 0, emit: 0, retry: 0, resume: 0, wake: 0, delete: 0, bulk: 0 }

/** The reason why the clock stopped. */
export const StoppedBy = Schema.Literals(["target", "max_fired", "nothing_due", "stopped", "busy"])

export const stoppedByText =
  "target: it came to its time. max_fired: so much has fired. nothing_due: there was nothing to go to. stopped: it was told to " +
  "stop. busy: the engine did not come to rest within 10 minutes of real time."

/** The server's event for the account that moved the clock, on the stream `$clock` of the account's own log. */
export const ClockReady = Schema.Struct({
  type: Schema.Literal("clock.ready"),
  operation_id: Schema.String.annotate({ description: "The advance that ended." }),
  from: milliseconds("Where the clock was."),
  now: milliseconds("Where it is."),
  fired: Fired,
  stopped_by: StoppedBy.annotate({ description: stoppedByText }),
  ts: milliseconds("When that was, by the clock.")
}).annotate({
  identifier: "ClockReadyEvent",
  title: "The clock was moved",
  description: "All that fell due on the way is done, and time stands still. Told to the account that asked for it.",
  examples: [{
    type: "clock.ready",
    operation_id: "clk_0Uz7QaB3Lk6RwSe2MxDa",
    from: 1760000000000,
    now: 1760259200000,
    fired: { timer: 864, emit: 0, retry: 9, resume: 1, wake: 0, delete: 0, bulk: 0 },
    stopped_by: "target",
    ts: 1760259200000
  }]
})
