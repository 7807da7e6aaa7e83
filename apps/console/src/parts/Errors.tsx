import { hrefOf } from "../api/Address.ts"
import { count, counted } from "../charts/Figures.ts"
import type { ErrorGroups } from "../resources/ErrorGroups.ts"
import { Empty } from "./Empty.tsx"
import { harmless } from "./Harmless.ts"
import { Name } from "./Name.tsx"
import { Ago } from "./Time.tsx"

/** The most characters of an error that are shown. */
const maxShown = 300

/** Errors, of which equal ones are one line. */
export const Errors = (
  { errors: { count: read, groups, isCut }, fromMs }: { readonly errors: ErrorGroups; readonly fromMs: number }
) =>
  groups.length === 0
    ? <Empty what="There were no errors." />
    : (
      <div class="scrolled" role="region" aria-label="Errors" tabIndex={0}>
        <table class="plain is-figures">
          <thead>
            <tr>
              <th scope="col">Error</th>
              <th scope="col">Times</th>
              <th scope="col">First</th>
              <th scope="col">Last</th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ count: times, emitterId, firstMs, key, lastId, lastMs, text }) => (
              <tr key={key}>
                <td>
                  <a href={hrefOf(["events", emitterId, lastId])}>
                    <bdi>{harmless(text.slice(0, maxShown))}</bdi>
                  </a>
                  <span class="note">
                    <Name id={emitterId} />
                  </span>
                </td>
                <td>{count(times)}</td>
                <td>
                  <Ago ms={firstMs} />
                </td>
                <td>
                  <Ago ms={lastMs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {isCut
          ? (
            <p class="note">
              Of the last {counted(read, "error")}.{" "}
              <a href={hrefOf(["events"], { stream: "$errors", from: String(fromMs) })}>All of them</a>
            </p>
          )
          : null}
      </div>
    )
