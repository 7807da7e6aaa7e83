import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { address, hrefOf, setQuery } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { counted } from "../charts/Figures.ts"
import { JourneyDetails } from "../parts/JourneyDetails.tsx"
import { JourneyGraph } from "../parts/JourneyGraph.tsx"
import { Name } from "../parts/Name.tsx"
import { Shown } from "../parts/Shown.tsx"
import * as Directory from "../resources/Directory.ts"
import * as Journey from "../resources/Journey.ts"
import type { Params } from "../routes.ts"

const pollMs = 5_000

/** If an event does not reach more listeners than this, the page shows them only on demand. */
const maxUnreached = 8

const isUnreached = (node: Journey.JourneyNode) => node.type === "listener"

const Way = ({ journey, onChange }: { readonly journey: Journey.Journey; readonly onChange: () => void }) => {
  const own = journey.nodes[0]!
  const showsAll = useSignal(false)
  const unreached = journey.nodes.filter(isUnreached).length
  const isFolded = unreached > maxUnreached && !showsAll.value
  // Each reading gives another object, even with the same content. The graph moves only if the content has changed.
  const text = JSON.stringify(journey)
  const shown = useMemo((): Journey.Journey => {
    if (!isFolded) return journey
    const nodes = journey.nodes.filter((node) => !isUnreached(node))
    const ids = new Set(nodes.map(({ id }) => id))
    return { ...journey, nodes, edges: journey.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) }
  }, [text, isFolded])
  const chosen = address.value.query.get("stop")
  const node = shown.nodes.find(({ id }) => id === chosen) ?? own
  return (
    <>
      <JourneyGraph
        journey={shown}
        chosen={node.id}
        onChoose={(id) => setQuery({ stop: id === own.id ? "" : id })}
      />
      <div class="bar">
        {journey.truncated
          ? <p class="note">There is more: the trace shows up to 8 emitters in each direction and 200 steps.</p>
          : null}
        {unreached > maxUnreached
          ? (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                showsAll.value = !showsAll.value
              }}
            >
              {isFolded ? `Show ${counted(unreached, "listener")} it did not reach` : "Show only what it reached"}
            </button>
          )
          : null}
      </div>
      <section class="stop-details" aria-label="The selected step">
        <JourneyDetails key={node.id} journey={shown} node={node} onChange={onChange} />
      </section>
    </>
  )
}

/** One event: its causes, its effects, and the reasons that listeners were not reached. */
export default ({ params }: { readonly params: Params }) => {
  const emitter = params["emitter"]!
  const id = params["event"]!
  const journey = useLoading(`${emitter}/${id}`, (signal) => Journey.of(emitter, id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page is-wide">
      <div class="page-head">
        <h1>
          Event <code>{id}</code>
        </h1>
        <span class="note">
          of{" "}
          <a href={hrefOf(["events"], { emitter })}>
            <Name id={emitter} />
          </a>
        </span>
      </div>
      <Shown loading={journey} what="the trace">
        {(found) => <Way journey={found} onChange={() => void journey.reload()} />}
      </Shown>
    </div>
  )
}
