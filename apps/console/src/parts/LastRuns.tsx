import { useLoading } from "../api/Loading.ts"
import { count, counted, duration } from "../charts/Figures.ts"
import * as AccountFigures from "../resources/AccountFigures.ts"
import { Shown } from "./Shown.tsx"
import { Time } from "./Time.tsx"

/** The interval of readings: the server counts a minute within 10 seconds. */
const pollMs = 10_000

const mostMinutes = 8

/** The last minutes in which a source ran, with the duration of its runs. The server keeps no record of each run. */
export const LastRuns = ({ id }: { readonly id: string }) => {
  const figures = useLoading(id, (signal) => AccountFigures.ofEmitter(id, signal), { everyMs: pollMs })
  return (
    <section class="block" aria-label="Last runs">
      <h2>Last runs</h2>
      <Shown loading={figures} what="its runs">
        {({ series, step_ms, to_ms }) => {
          const runs = AccountFigures.sum(series, (step) => step.runs)
          if (runs === 0) return <p class="note">It has not run in the last hour.</p>
          const failed = AccountFigures.sum(series, (step) => step.failed_runs)
          const tookMs = AccountFigures.sum(series, (step) => step.run_ms)
          return (
            <>
              <p>
                {counted(runs, "run")} in the last hour,{" "}
                {failed === 0 ? "none failed" : <span class="fault">{count(failed)} failed</span>};{" "}
                {duration(tookMs / runs)} on average.
              </p>
              <table class="plain is-figures">
                <thead>
                  <tr>
                    <th scope="col">Minute</th>
                    <th scope="col">Runs</th>
                    <th scope="col">Failed</th>
                    <th scope="col">Average duration</th>
                  </tr>
                </thead>
                <tbody>
                  {series.filter((step) => step.runs > 0).slice(-mostMinutes).toReversed().map((step) => (
                    <tr key={step.at_ms}>
                      <td>
                        <Time ms={step.at_ms} />
                        {step.at_ms + step_ms > to_ms ? " so far" : ""}
                      </td>
                      <td>{count(step.runs)}</td>
                      <td class={step.failed_runs > 0 ? "fault" : ""}>{count(step.failed_runs)}</td>
                      <td>{duration(step.run_ms / step.runs)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )
        }}
      </Shown>
    </section>
  )
}
