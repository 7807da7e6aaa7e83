import type { Finding } from "@headwater/api/DiagnosisApi"
import { get, type Single } from "../api/Api.ts"
import { useLoading } from "../api/Loading.ts"
import { Badge, type Tone } from "../parts/Badge.tsx"
import { harmless } from "../parts/Harmless.ts"
import { NodesTable } from "../parts/NodesTable.tsx"
import { Shown } from "../parts/Shown.tsx"
import * as Nodes from "../resources/Nodes.ts"

const pollMs = 10_000

interface Diagnosis {
  readonly versions: Readonly<Record<string, string | null>>
  readonly findings: ReadonlyArray<Finding>
}

const tones: Readonly<Record<Finding["state"], Tone>> = { ok: "good", warning: "waiting", failed: "bad" }

const Findings = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) => (
  <div class="wide-table" tabIndex={0} role="group" aria-label="Findings">
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Result</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        {findings.map(({ message, name, state, todo }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>
              <Badge tone={tones[state]} text={state} />
            </td>
            <td>
              {harmless(message)}
              {todo === null ? null : <strong>{` ${harmless(todo)}`}</strong>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** The processes of the server, and their state. */
export default () => {
  const nodes = useLoading(
    "nodes",
    async (signal) => ({ all: await Nodes.list(signal), atMs: Date.now() }),
    { everyMs: pollMs }
  )
  const diagnosis = useLoading(
    "diagnosis",
    async (signal) => (await get<Single<Diagnosis>>(["diagnosis"], { signal })).data,
    { everyMs: 3 * pollMs }
  )
  return (
    <div class="page">
      <div class="page-head">
        <h1>Server</h1>
      </div>
      <section class="block" aria-label="Nodes">
        <h2>Nodes and workers</h2>
        <Shown loading={nodes} what="the nodes and workers">
          {({ all, atMs }) => <NodesTable nodes={all} readAtMs={atMs} />}
        </Shown>
      </section>
      <section class="block" aria-label="Diagnosis">
        <h2>Diagnosis</h2>
        <Shown loading={diagnosis} what="the diagnosis">
          {({ findings, versions }) => (
            <>
              <Findings findings={findings} />
              <dl class="facts">
                {Object.entries(versions).map(([name, version]) => [
                  <dt key={name}>{name}</dt>,
                  <dd key={`${name} version`}>{version === null ? "unknown" : harmless(version)}</dd>
                ])}
              </dl>
            </>
          )}
        </Shown>
      </section>
    </div>
  )
}
