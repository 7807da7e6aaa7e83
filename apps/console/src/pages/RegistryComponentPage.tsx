import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { ComponentFacts } from "../parts/ComponentFacts.tsx"
import { NewProgramForm } from "../parts/NewProgramForm.tsx"
import { tell } from "../parts/Notices.tsx"
import { PropsList } from "../parts/PropsForm.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Registry from "../resources/Registry.ts"
import * as Sources from "../resources/Sources.ts"
import type { Params } from "../routes.ts"

const NewSource = ({ component }: { readonly component: Sources.ComponentResource }) => (
  <NewProgramForm
    kind="source"
    component={component.id}
    declared={component.configurable_props}
    name={component.name}
    create={async (values) => {
      const created = await Sources.create({ component_id: component.id, ...values })
      tell("done", "The source was created and is active.")
      visit(hrefOf(["sources", created.id]))
    }}
  />
)

const Details = ({ component }: { readonly component: Sources.ComponentResource }) => (
  <>
    <ComponentFacts
      component={component}
      isCodeOpen={false}
      facts={
        <>
          <dt>Published</dt>
          <dd>
            <Time ms={component.updated_at * 1_000} />
          </dd>
        </>
      }
    >
      <section class="block" aria-label={may("write") ? "New source" : "Props"}>
        <h2>{may("write") ? "New source" : "Its props"}</h2>
        {may("write")
          ? <NewSource component={component} />
          : <PropsList declared={component.configurable_props} current={{}} />}
      </section>
    </ComponentFacts>
    <p>
      <a href={hrefOf(["registry"])}>All components</a>
    </p>
  </>
)

/** One component of the registry, and the form that makes a source of it. */
export default ({ params }: { readonly params: Params }) => {
  const key = params["component"]!
  const component = useLoading(key, (signal) => Registry.one(key, signal))
  return (
    <div class="page">
      <Shown loading={component} what="the component">
        {(found) => <Details key={found.id} component={found} />}
      </Shown>
    </div>
  )
}
