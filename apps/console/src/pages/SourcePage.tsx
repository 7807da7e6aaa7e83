import { type Failure, failureOf } from "../api/Failure.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Books } from "../parts/Books.tsx"
import { Failed } from "../parts/Failed.tsx"
import { Health } from "../parts/Health.tsx"
import { LastRuns } from "../parts/LastRuns.tsx"
import { ProgramHead } from "../parts/ProgramHead.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { PropsForm, PropsList } from "../parts/PropsForm.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Subscribed } from "../parts/SubscriptionForms.tsx"
import { WithRuns } from "../parts/WithRuns.tsx"
import { lastRunOfSource } from "../resources/Outcome.ts"
import * as Sources from "../resources/Sources.ts"
import type { Params } from "../routes.ts"

const pollMs = 5_000

/** The component of a source. A removed component can't be read, while its sources go on with it. */
type Component =
  | { readonly state: "found"; readonly component: Sources.ComponentResource }
  | { readonly state: "unknown"; readonly failure: Failure }

const componentOf = async (id: string, signal: AbortSignal): Promise<Component> => {
  try {
    return { state: "found", component: await Sources.component(id, signal) }
  } catch (error) {
    const failure = failureOf(error)
    if (failure.status !== 404) throw error
    return { state: "unknown", failure }
  }
}

const PropsSection = ({ onChange, source }: {
  readonly source: Sources.SourceResource
  readonly onChange: () => void
}) => {
  const component = useLoading(source.component_id, (signal) => componentOf(source.component_id, signal))
  return (
    <section class="block" aria-label="Props">
      <h2>Props</h2>
      <Shown loading={component} what="the component">
        {(found) => {
          if (found.state === "unknown") {
            return (
              <>
                <Failed
                  what="The component cannot be read, so its props cannot be changed here."
                  failure={found.failure}
                  advice="It was withdrawn from the registry. The source keeps using it."
                />
                <PropsList declared={[]} current={source.configured_props} />
              </>
            )
          }
          const { configurable_props: declared, id } = found.component
          return may("write")
            ? (
              <PropsForm
                key={id}
                component={id}
                declared={declared}
                current={source.configured_props}
                submitName="Save the props"
                doing="Saving …"
                done="The props are saved. The next run uses them."
                submit={async (changes) => {
                  await Sources.change(source, { configured_props: changes })
                  onChange()
                }}
              />
            )
            : <PropsList declared={declared} current={source.configured_props} />
        }}
      </Shown>
    </section>
  )
}

const Details = ({ loading, source }: {
  readonly source: Sources.SourceResource
  readonly loading: Loading<Sources.SourceResource>
}) => {
  const { id } = source
  const changed = () => void loading.reload()
  return (
    <>
      <ProgramHead
        program={source}
        change={async (changes) => {
          await Sources.change(source, changes)
          changed()
        }}
        acts={<WithRuns id={id} />}
        facts={
          <>
            <dt>Last activity</dt>
            <dd>
              <Health id={id} read={lastRunOfSource} />
            </dd>
          </>
        }
      />
      <div class="halves">
        <div class="traces-all">
          <Books id={id} isSource />
          <LastRuns id={id} />
          <Subscribed id={id} side="listener_id" />
          <Subscribed id={id} side="emitter_id" />
          <ProgramTraces id={id} codeHref={(error) => Sources.codeHref(source, error)} />
        </div>
        <PropsSection source={source} onChange={changed} />
      </div>
    </>
  )
}

/** One source: its state, its props, its recent traces, and actions on it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["source"]!
  const source = useLoading(id, (signal) => Sources.one(id, signal), { everyMs: pollMs })
  return (
    <div class="page">
      <Shown loading={source} what="the source">{(found) => <Details source={found} loading={source} />}</Shown>
    </div>
  )
}
