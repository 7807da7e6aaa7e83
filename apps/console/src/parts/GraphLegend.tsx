import type { ComponentChildren } from "preact"
import { states, wordOf } from "../graph/Graph.ts"
import { NodeMark } from "./NodeState.tsx"

const Sign = ({ children, width }: { readonly width: number; readonly children: ComponentChildren }) => (
  <svg width={width} height={12} viewBox={`0 0 ${width} 12`} aria-hidden="true">{children}</svg>
)

const lines = [
  ["failing", "to a failing listener"],
  ["waiting", "events waiting"],
  ["matches", "matched by a pattern"]
] as const

/** The meaning of the drawing's marks and lines. */
export const GraphLegend = () => (
  <ul class="graph-legend" aria-label="Legend">
    {states.map((state) => (
      <li key={state} class={`is-${state}`}>
        <Sign width={12}>
          <NodeMark state={state} x={0} y={0} size={12} />
        </Sign>
        {wordOf(state)}
      </li>
    ))}
    {lines.map(([tone, text]) => (
      <li key={tone}>
        <Sign width={34}>
          <g class={`graph-line is-${tone}`}>
            <path d="M0,6H34" />
          </g>
        </Sign>
        {text}
      </li>
    ))}
  </ul>
)
