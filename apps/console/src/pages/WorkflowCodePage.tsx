import { address } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { ProgramCode } from "../parts/ProgramCode.tsx"
import { Shown } from "../parts/Shown.tsx"
import type { Deploying, OpenedCode, Program } from "../parts/useDeployment.ts"
import * as Trials from "../resources/Trials.ts"
import * as Workflows from "../resources/Workflows.ts"
import type { Params } from "../routes.ts"
import { codeHref } from "./WorkflowPage.tsx"

const pollMs = 5_000

const programOf = (workflow: Workflows.WorkflowResource): Program => ({
  name: workflow.name,
  active: workflow.active,
  ...(workflow.shadow === undefined ? {} : { shadow: workflow.shadow }),
  configured_props: workflow.configured_props,
  version: workflow.deployment_id,
  hash: workflow.code_hash
})

const deployingOf = (workflow: Workflows.WorkflowResource): Deploying => ({
  read: async () => programOf(await Workflows.one(workflow.id, new AbortController().signal)),
  deploy: async (workflow_code) => programOf(await Workflows.change(workflow, { workflow_code })),
  declare: async (code) => ({
    props: (await Trials.check({ kind: "workflow", id: workflow.id }, code)).configurable_props,
    component: undefined
  }),
  deployWith: async (workflow_code, _, configured_props) =>
    programOf(await Workflows.change(workflow, { workflow_code, configured_props })),
  leave: () => {}
})

/** The code of a workflow in an editor. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["workflow"]!
  const version = address.value.query.get("version")
  const workflow = useLoading(id, (signal) => Workflows.one(id, signal), { everyMs: pollMs })
  const opened = useLoading(`${id} ${version}`, async (signal): Promise<OpenedCode> => {
    const { deployment_id, id: known } = await Workflows.one(id, signal)
    const { code, code_hash, configurable_props } = await Trials.deployed({ kind: "workflow", id: known }, signal)
    return { code, configurable_props, version: deployment_id, hash: code_hash }
  })
  return (
    <div class="page is-wide">
      <Shown loading={workflow} what="the workflow">
        {(found) => (
          <Shown loading={opened} what="the code">
            {(code) => (
              <ProgramCode
                key={code.version}
                subject={{ kind: "workflow", id: found.id }}
                program={programOf(found)}
                opened={code}
                steps={found.steps.map(({ name }) => name)}
                deploying={deployingOf(found)}
                onDeployed={() => workflow.reload()}
                codeHref={(error) => codeHref(found, error)}
              />
            )}
          </Shown>
        )}
      </Shown>
    </div>
  )
}
