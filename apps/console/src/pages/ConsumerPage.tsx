import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { count } from "../charts/Figures.ts"
import { ContractDialog } from "../parts/ContractForm.tsx"
import { Delete } from "../parts/Delete.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Stream } from "../parts/EventCells.tsx"
import { harmless } from "../parts/Harmless.ts"
import { LinkedName } from "../parts/Name.tsx"
import { tell } from "../parts/Notices.tsx"
import { Opens } from "../parts/Opens.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Ago, Time } from "../parts/Time.tsx"
import * as Consumers from "../resources/Consumers.ts"
import * as Directory from "../resources/Directory.ts"
import * as Events from "../resources/Events.ts"
import type { Params } from "../routes.ts"

const pollMs = 4_000

const Facts = ({ consumer }: { readonly consumer: Consumers.ConsumerResource }) => {
  const { created_at, emitter_id, event_name, filter, id, lease, lease_seconds } = consumer
  return (
    <dl class="facts">
      <dt>Reads</dt>
      <dd>
        <LinkedName id={emitter_id} />, the stream <Stream name={event_name} />
      </dd>
      <dt>Filter</dt>
      <dd>{filter === undefined ? "none" : <code>{harmless(JSON.stringify(filter))}</code>}</dd>
      <dt>Reader</dt>
      <dd>
        {lease === null ? "no reader" : (
          <>
            a program reads; if it goes silent, another can take over <Ago ms={lease.expires_at_ms} />
          </>
        )} (a lease lasts {lease_seconds} s)
      </dd>
      <dt>Created</dt>
      <dd>
        <Time ms={created_at * 1_000} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  )
}

const Positions = ({ positions }: { readonly positions: ReadonlyArray<Consumers.ConsumerPosition> }) =>
  positions.length === 0 ? <Empty what="It reads no emitter that exists." /> : (
    <div class="wide-table" tabIndex={0} role="group" aria-label="Positions">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Emitter</th>
            <th scope="col">Position</th>
            <th scope="col">Waiting</th>
            <th scope="col">Committed</th>
            <th scope="col">Filtered out</th>
            <th scope="col">Dropped</th>
          </tr>
        </thead>
        <tbody>
          {positions.map((one) => (
            <tr key={one.emitter_id}>
              <td>
                <LinkedName id={one.emitter_id} />
              </td>
              <td>
                {Events.timeOf(one.position) === 0 ? "the beginning" : (
                  <span title={one.position}>
                    <Time ms={Events.timeOf(one.position)} milliseconds />
                  </span>
                )}
              </td>
              <td>{count(one.waiting)}</td>
              <td>{count(one.delivered)}</td>
              <td>{count(one.filtered)}</td>
              <td>{count(one.dropped)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

/** One consumer: where it stands, and what moves it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["consumer"]!
  const consumer = useLoading(id, (signal) => Consumers.one(id, signal), { everyMs: pollMs })
  const positions = useLoading(id, (signal) => Consumers.positions(id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page">
      <Shown loading={consumer} what="the consumer">
        {(found) => (
          <>
            <div class="page-head">
              <h1>
                <bdi>{harmless(found.name ?? found.id)}</bdi>
              </h1>
              <span class="grow" />
              <Opens needs="run" what="move" name="Move …">
                {(close) => (
                  <ContractDialog
                    title="Move the consumer"
                    note="Reading continues from there, and its figures are reset. Readers cannot commit what they read before."
                    operation="consumers.seek"
                    first={["to", "emitter_id"]}
                    name="Move it"
                    doing="Moving …"
                    done="The consumer is moved."
                    submit={async (body) => {
                      await Consumers.seek(id, body)
                      void consumer.reload()
                      void positions.reload()
                      close()
                    }}
                    onClose={close}
                  />
                )}
              </Opens>
              <Delete
                what={`the consumer ${harmless(found.name ?? found.id)}`}
                act={async () => {
                  await Consumers.drop(id)
                  tell("done", "The consumer is deleted.")
                  visit(hrefOf(["consumers"]))
                }}
              >
                <p>Its positions are lost, and open reads end. The events stay.</p>
              </Delete>
            </div>
            <Facts consumer={found} />
          </>
        )}
      </Shown>
      <section class="block" aria-label="Positions">
        <h2>Positions</h2>
        <Shown loading={positions} what="its positions">{({ data }) => <Positions positions={data} />}</Shown>
      </section>
    </div>
  )
}
