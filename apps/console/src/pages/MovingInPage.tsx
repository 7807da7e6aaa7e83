import { address, hrefOf, visit } from "../api/Address.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { count } from "../charts/Figures.ts"
import { Badge, type Tone } from "../parts/Badge.tsx"
import { CouriersBlock } from "../parts/Couriers.tsx"
import { Delete } from "../parts/Delete.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { ImportFindings, Told } from "../parts/ImportFindings.tsx"
import { tell } from "../parts/Notices.tsx"
import { Endpoint } from "../parts/PropField.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Imports from "../resources/Imports.ts"
import * as Props from "../resources/Props.ts"

const pollMs = 10_000

const stateOf = ({ imported, isGone, needs, present }: Imports.Standing): readonly [tone: Tone, text: string] => {
  if (imported.workflow_id === null) return ["bad", "not deployed"]
  if (isGone) return ["bad", "deleted"]
  if (present === undefined) return ["plain", "unknown"]
  if (present.active) return ["good", "active"]
  const required = needs.filter(({ is_required }) => is_required).length
  return required === 0 ? ["accent", "ready to switch on"] : ["waiting", `needs ${required} more`]
}

const Name = ({ imported, present }: Imports.Standing) => {
  const name = <bdi>{harmless(imported.name)}</bdi>
  return present === undefined ? name : <a href={hrefOf(["workflows", present.id])}>{name}</a>
}

const Url = ({ url, what }: { readonly url: string | null | undefined; readonly what: string }) =>
  url === null || url === undefined ? <span class="note">not known</span> : <Endpoint url={url} what={what} />

const Endpoints = ({ standings }: { readonly standings: ReadonlyArray<Imports.Standing> }) => {
  const rows = standings.flatMap((standing) => standing.imported.endpoints.map((endpoint) => ({ standing, endpoint })))
  if (rows.length === 0) return null
  return (
    <section class="block" aria-label="URLs">
      <h2>URLs</h2>
      {rows.every(({ endpoint }) => endpoint.old_url !== null) ? null : (
        <p class="note">
          A project's folder has no old URLs:{" "}
          <code>headwater import finish &lt;workflow&gt; --set hi_…=&lt;old URL&gt;</code> adds one.
        </p>
      )}
      <table class="plain moved-urls">
        <thead>
          <tr>
            <th>Workflow</th>
            <th>Old URL</th>
            <th>New URL</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ endpoint, standing }) => {
            const { name } = standing.imported
            const now = standing.present === undefined
              ? endpoint.url
              : Props.endpointOf(standing.present.configured_props)
            return (
              <tr key={endpoint.trigger}>
                <td>
                  <Name {...standing} />
                  <br />
                  <code class="note">{harmless(endpoint.trigger)}</code>
                </td>
                <td>
                  <Url url={endpoint.old_url} what={`old URL of ${name}`} />
                </td>
                <td>
                  <Url url={now} what={`new URL of ${name}`} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

const plural = (number: number, one: string) => `${count(number)} ${number === 1 ? one : `${one}s`}`

const Workflow = ({ standing }: { readonly standing: Imports.Standing }) => {
  const { came, findings, from, moved_from } = standing.imported
  const [tone, text] = stateOf(standing)
  return (
    <section class="block moved" aria-label={standing.imported.name}>
      <div class="bar">
        <h2>
          <Name {...standing} />
        </h2>
        <Badge tone={tone} text={text} />
      </div>
      <p class="note">
        From <code>{harmless(from)}</code> ({harmless(moved_from)}). Came over: {plural(came.triggers, "trigger")},{" "}
        {plural(came.steps, "step")}, {plural(came.props, "value")}, {plural(came.files, "file")}.
      </p>
      {standing.needs.length === 0 ? null : (
        <>
          <h3>
            What <code>headwater import finish</code> still needs
          </h3>
          <ul class="moved-needs">
            {standing.needs.map(({ is_required, message, name }) => (
              <li key={name}>
                <code>{harmless(name)}</code>
                {is_required ? null : <span class="note">, not required</span>}: <Told message={message} />
              </li>
            ))}
          </ul>
        </>
      )}
      <ImportFindings findings={findings} />
    </section>
  )
}

const Totals = ({ shown }: { readonly shown: Imports.Shown }) => {
  const findings = [...shown.findings, ...shown.standings.flatMap(({ imported }) => imported.findings)]
  const of = (kind: Imports.Finding["kind"]) => count(findings.filter((finding) => finding.kind === kind).length)
  return (
    <dl class="facts">
      <dt>Workflows</dt>
      <dd>
        {count(shown.standings.length)}, {count(shown.standings.filter(({ present }) => present?.active).length)} active
      </dd>
      <dt>Not imported</dt>
      <dd>{of("failed")}</dd>
      <dt>To do</dt>
      <dd>{of("missing")}</dd>
      <dt>Different here</dt>
      <dd>{of("different")}</dd>
      <dt>Reported</dt>
      <dd>
        <Time ms={shown.updatedAt * 1_000} />, and again with each <code>headwater import status</code>
      </dd>
    </dl>
  )
}

const Report = ({ name }: { readonly name: string }) => {
  const report = useLoading(name, (signal) => Imports.shown(name, signal), { everyMs: pollMs })
  return (
    <Shown loading={report} what="the report">
      {(shown) => (
        <>
          <Totals shown={shown} />
          <Endpoints standings={shown.standings} />
          {shown.findings.length === 0 ? null : (
            <section class="block" aria-label="The project">
              <h2>The project</h2>
              <ImportFindings findings={shown.findings} />
            </section>
          )}
          {shown.standings.map((standing) => <Workflow key={standing.imported.moved_from} standing={standing} />)}
        </>
      )}
    </Shown>
  )
}

const Chosen = ({ imports, loading }: {
  readonly imports: ReadonlyArray<Imports.ImportSummary>
  readonly loading: Loading<ReadonlyArray<Imports.ImportSummary>>
}) => {
  const asked = address.value.query.get("import")
  const name = imports.find((each) => each.name === asked)?.name ?? imports[0]?.name
  if (name === undefined) {
    return (
      <>
        <div class="page-head">
          <h1>Moving in</h1>
        </div>
        <Empty what="Nothing has been imported.">
          <p>
            <code>headwater import pipedream &lt;folder&gt;</code> brings the workflows of a project.
          </p>
        </Empty>
      </>
    )
  }
  return (
    <>
      <div class="page-head">
        <h1>Moving in</h1>
        <span class="grow" />
        <Delete
          what={`the report of ${harmless(name)}`}
          act={async () => {
            await Imports.drop(name)
            tell("done", "The report is deleted.")
            void loading.reload()
          }}
        >
          <p>The workflows stay. The next import, or its status, brings the report again.</p>
        </Delete>
      </div>
      {imports.length === 1 ? null : (
        <label class="field moved-choice">
          <span>Import</span>
          <select
            value={name}
            onChange={(event) => visit(hrefOf(["moving-in"], { import: event.currentTarget.value }))}
          >
            {imports.map((each) => <option key={each.name} value={each.name}>{harmless(each.name)}</option>)}
          </select>
        </label>
      )}
      <Report key={name} name={name} />
    </>
  )
}

/** The reports of what was moved in from elsewhere, and what it needs yet. */
export default () => {
  const imports = useLoading("imports", Imports.list, { everyMs: pollMs })
  return (
    <div class="page">
      <Shown loading={imports} what="the imports">
        {(found) => <Chosen imports={found} loading={imports} />}
      </Shown>
      <CouriersBlock />
    </div>
  )
}
