import { hrefOf, visit } from "../api/Address.ts"
import { remove } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Act } from "../parts/Act.tsx"
import { Books } from "../parts/Books.tsx"
import { Delete } from "../parts/Delete.tsx"
import { Failed } from "../parts/Failed.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity, Health } from "../parts/Health.tsx"
import { LastRuns } from "../parts/LastRuns.tsx"
import { tell } from "../parts/Notices.tsx"
import { ProgramProject } from "../parts/ProgramProject.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { Endpoint } from "../parts/PropField.tsx"
import { PropsForm, PropsList } from "../parts/PropsForm.tsx"
import { Rename } from "../parts/Rename.tsx"
import { SendEvent } from "../parts/SendEvent.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Subscribed } from "../parts/SubscriptionForms.tsx"
import { Time } from "../parts/Time.tsx"
import { WithRuns } from "../parts/WithRuns.tsx"
import { lastRunOfSource } from "../resources/Outcome.ts"
import * as Props from "../resources/Props.ts"
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
  const { active, component_id, configured_props, id, name } = source
  const project = source.project_id === undefined ? {} : { project_id: source.project_id }
  const changed = () => void loading.reload()
  const endpoint = Props.endpointOf(configured_props)
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity of={source} />
        <span class="grow" />
        {active ? <SendEvent url={endpoint} /> : null}
        <WithRuns id={id} />
        <a class="button" href={hrefOf(["sources", id, "code"])}>Code</a>
        {active
          ? (
            <Act
              needs="write"
              done="It is paused. Its endpoint and timers are off; events it listens to wait for it."
              act={async () => {
                await Sources.change(source, { active: false })
                changed()
              }}
            >
              Pause
            </Act>
          )
          : (
            <Act
              needs="write"
              kind="main"
              done="It is active again, and continues where it left off."
              act={async () => {
                await Sources.change(source, { active: true })
                changed()
              }}
            >
              Activate
            </Act>
          )}
        <Rename
          name={name}
          act={async (name) => {
            await Sources.change(source, { name })
            changed()
          }}
        />
        <Delete
          what={`the source ${harmless(name)}`}
          act={async () => {
            await remove(["sources", id])
            tell("done", "The source is deleted.")
            visit(hrefOf(["sources"]))
          }}
        >
          <p>
            Its log, its store and its subscriptions go with it, and its endpoint answers 404 from then on. To only stop
            it, pause it.
          </p>
        </Delete>
      </div>
      <dl class="facts">
        <dt>Last activity</dt>
        <dd>
          <Health id={id} read={lastRunOfSource} />
        </dd>
        {endpoint === undefined ? null : (
          <>
            <dt>Endpoint</dt>
            <dd>
              <Endpoint url={endpoint} />
            </dd>
          </>
        )}
        <dt>Project</dt>
        <dd>
          <ProgramProject
            {...project}
            move={async (project_id) => {
              await Sources.change(source, { project_id })
              changed()
            }}
          />
        </dd>
        <dt>Slug</dt>
        <dd>
          <code>{source.name_slug}</code>
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>Component</dt>
        <dd>
          <a href={hrefOf(["components", component_id])}>
            <code>{component_id}</code>
          </a>
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time ms={source.updated_at * 1_000} />, created <Time ms={source.created_at * 1_000} />
        </dd>
      </dl>
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
