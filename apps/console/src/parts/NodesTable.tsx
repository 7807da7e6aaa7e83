import { counted } from "../charts/Figures.ts"
import type { NodeResource } from "../resources/Nodes.ts"
import { Badge } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import { Time } from "./Time.tsx"

/** The counts that are not zero, in words. */
const held = ({ accounts, consumers, sources_and_workflows, webhooks }: NodeResource["holds"]): string =>
  ([[sources_and_workflows, "program"], [webhooks, "webhook"], [consumers, "consumer"], [accounts, "account"]] as const)
    .flatMap(([amount, noun]) => amount === 0 ? [] : [counted(amount, noun)]).join(", ") || "nothing"

/** A server process without a sign of life for this time may be gone. */
const silentMs = 20_000

/** The processes of the server, and what each has in memory. */
export const NodesTable = ({ nodes, readAtMs }: {
  readonly nodes: ReadonlyArray<NodeResource>
  readonly readAtMs: number
}) => (
  <div class="scrolled" role="region" aria-label="Nodes and workers" tabIndex={0}>
    <table class="plain is-figures">
      <thead>
        <tr>
          <th scope="col">Process</th>
          <th scope="col">Version</th>
          <th scope="col">Since</th>
          <th scope="col">In memory</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ holds, id, seen_at_ms, started_at_ms, version, worker }) => (
          <tr key={id}>
            <td>
              <code title="Id">{harmless(id)}</code>
              <span class="note">{worker === null ? "node" : `worker ${worker}`}</span>
            </td>
            <td>{harmless(version)}</td>
            <td>
              <Time ms={started_at_ms} />
              {readAtMs - seen_at_ms > silentMs ? <Badge tone="waiting" text="silent" /> : null}
            </td>
            <td>{held(holds)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
