import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { ComponentFacts } from "../parts/ComponentFacts.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Sources from "../resources/Sources.ts"
import type { Params } from "../routes.ts"

const pollMs = 5_000

const Users = ({ id }: { readonly id: string }) => {
  const users = useLoading(id, (signal) => Sources.ofComponent(id, signal), { everyMs: pollMs })
  return (
    <section class="block" aria-label="Sources that run it">
      <h2>Sources that run it</h2>
      <Shown loading={users} what="the sources that run it">
        {({ items, rest }) =>
          items.length === 0 ? <Empty what="No source of yours runs this component." /> : (
            <>
              <ul class="tried">
                {items.map(({ active, id, name }) => (
                  <li key={id}>
                    <a href={hrefOf(["sources", id])} title={id}>
                      <bdi>{harmless(name)}</bdi>
                    </a>
                    {active ? null : <span class="note">, paused</span>}
                  </li>
                ))}
              </ul>
              {rest === 0 ? null : <p class="note">And {rest} more.</p>}
            </>
          )}
      </Shown>
    </section>
  )
}

/** One saved version of code: what it is, and the sources that run it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["version"]!
  const component = useLoading(id, (signal) => Sources.component(id, signal))
  return (
    <div class="page">
      <Shown loading={component} what="the component">
        {(found) => (
          <ComponentFacts
            component={found}
            isCodeOpen
            facts={
              <>
                <dt>Id</dt>
                <dd>
                  <code>{found.id}</code>
                </dd>
                <dt>Made</dt>
                <dd>
                  <Time ms={found.created_at * 1_000} />
                </dd>
              </>
            }
          >
            <Users id={found.id} />
          </ComponentFacts>
        )}
      </Shown>
    </div>
  )
}
