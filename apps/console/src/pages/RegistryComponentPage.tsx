import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { harmless } from "../parts/Harmless.ts"
import { NewProgramForm } from "../parts/NewProgramForm.tsx"
import { tell } from "../parts/Notices.tsx"
import { PropsList } from "../parts/PropsForm.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Registry from "../resources/Registry.ts"
import * as Sources from "../resources/Sources.ts"
import type { Params } from "../routes.ts"

/** The most characters of the code that are shown. */
const maxCode = 200_000

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

const Details = ({ component }: { readonly component: Sources.ComponentResource }) => {
  const { code, configurable_props, description, key, name, updated_at, version } = component
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(name)}</bdi>
        </h1>
        <span class="note">version {harmless(version)}</span>
      </div>
      {description === null ? null : (
        <p>
          <bdi>{harmless(description)}</bdi>
        </p>
      )}
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          <code>{harmless(key ?? "")}</code>
        </dd>
        <dt>Published</dt>
        <dd>
          <Time ms={updated_at * 1_000} />
        </dd>
      </dl>
      <section class="block" aria-label={may("write") ? "New source" : "Props"}>
        <h2>{may("write") ? "New source" : "Its props"}</h2>
        {may("write") ? <NewSource component={component} /> : <PropsList declared={configurable_props} current={{}} />}
      </section>
      <details>
        <summary>Its code</summary>
        <pre class="raw" tabIndex={0}><bdi>{harmless(code.slice(0, maxCode))}</bdi></pre>
      </details>
      <p>
        <a href={hrefOf(["registry"])}>All components</a>
      </p>
    </>
  )
}

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
