import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { count } from "../charts/Figures.ts"
import { figures, pollMs, read, statuses } from "../resources/RunBooks.ts"
import { Shown } from "./Shown.tsx"

/** The page with what a figure counts: of a source the events and errors that its runs left. */
const pageOf = (id: string, isSource: boolean, figure: typeof figures[number]): string => {
  if (isSource) return hrefOf(["events"], figure === "failed" ? { emitter: id, stream: "$errors" } : { emitter: id })
  return hrefOf(["workflows", id, "runs"], figure === "received" ? {} : { status: statuses[figure] })
}

/** The outcomes of all runs of a source or workflow: received = done + failed + cancelled + waiting + at work. */
export const Books = ({ id, isSource = false }: { readonly id: string; readonly isSource?: boolean }) => {
  const books = useLoading(id, (signal) => read(id, signal), { everyMs: pollMs })
  const shown = isSource ? figures.slice(0, 3) : figures
  return (
    <section class="block" aria-label="All runs since it was created">
      <h2>All runs since it was created</h2>
      <Shown loading={books} what="its run counts">
        {(found) => (
          <dl class="figures">
            {shown.map((figure) => (
              <div key={figure}>
                <dt>{figure === "received" ? figure : statuses[figure]}</dt>
                <dd class={figure === "failed" && found.failed > 0 ? "fault" : ""}>
                  <a href={pageOf(id, isSource, figure)}>{count(found[figure])}</a>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Shown>
    </section>
  )
}
