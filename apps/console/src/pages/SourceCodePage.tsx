import { address, hrefOf } from "../api/Address.ts"
import { failureOf } from "../api/Failure.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { ProgramCode } from "../parts/ProgramCode.tsx"
import { Shown } from "../parts/Shown.tsx"
import type { Deploying, OpenedCode, Program } from "../parts/useDeployment.ts"
import * as Sources from "../resources/Sources.ts"
import * as Trials from "../resources/Trials.ts"
import type { Params } from "../routes.ts"

const pollMs = 5_000

const programOf = (source: Sources.SourceResource): Program => ({
  name: source.name,
  active: source.active,
  ...(source.shadow === undefined ? {} : { shadow: source.shadow }),
  configured_props: source.configured_props,
  version: source.component_id,
  hash: source.component_id
})

const deployingOf = (source: Sources.SourceResource): Deploying => ({
  read: async () => programOf(await Sources.one(source.id, new AbortController().signal)),
  deploy: async (component_code) => programOf(await Sources.change(source, { component_code })),
  declare: async (code) => {
    const { configurable_props, id } = await Sources.saveComponent(code)
    return { props: configurable_props, component: id }
  },
  deployWith: async (_, { component }, configured_props) =>
    programOf(await Sources.change(source, { component_id: component!, configured_props })),
  // A version that no source uses does no harm, so a failure is ignored.
  leave: ({ component }) => void Sources.removeComponent(component!).catch(() => {})
})

/** The requested version of a source's code, or the one that it runs. */
const open = async (id: string, earlier: string | null, signal: AbortSignal): Promise<OpenedCode> => {
  const { component_id, id: known } = await Sources.one(id, signal)
  const version = earlier ?? component_id
  const { code, configurable_props } = await Sources.component(version, signal).catch((error: unknown) => {
    // The source still has its code after the component is removed.
    if (failureOf(error).status !== 404 || version !== component_id) throw error
    return Trials.deployed({ kind: "source", id: known }, signal)
  })
  return { code, configurable_props, version, hash: version }
}

/** The code of a source in an editor. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["source"]!
  const { query } = address.value
  const earlier = query.get("component")
  const source = useLoading(id, (signal) => Sources.one(id, signal), { everyMs: pollMs })
  const opened = useLoading(`${id} ${earlier} ${query.get("version")}`, (signal) => open(id, earlier, signal))
  return (
    <div class="page is-wide">
      <Shown loading={source} what="the source">
        {(found) => (
          <Shown loading={opened} what="the code">
            {(code) => (
              <ProgramCode
                key={code.version}
                subject={{ kind: "source", id: found.id }}
                program={programOf(found)}
                opened={code}
                earlier={earlier === null || code.version === found.component_id ? undefined : (
                  <>
                    <span>
                      This is the version <code>{code.version}</code>, which the source does not run
                      {may("write") ? "; deploy it to go back to it." : "."}
                    </span>
                    <a href={hrefOf(["sources", found.id, "code"])}>The code that it runs</a>
                  </>
                )}
                deploying={deployingOf(found)}
                onDeployed={() => source.reload()}
                codeHref={(error) => Sources.codeHref(found, error)}
              />
            )}
          </Shown>
        )}
      </Shown>
    </div>
  )
}
