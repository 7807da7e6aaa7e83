import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { counted } from "../charts/Figures.ts"
import { arrow, curve, place } from "../graph/GraphLayout.ts"
import { spelled } from "../resources/Events.ts"
import { type Journey, type JourneyNode, reasonOf, runWordOf, waits } from "../resources/Journey.ts"
import type { Tone } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import { local } from "./Time.tsx"

const box = { width: 224, height: 46 }
const { height, width } = box
const gap = { width: 28, height: 14 }
const margin = 12

/** The lengths of text that fit into a node, in characters. */
const maxTitle = 30
const maxNote = 42

const cut = (text: string, length: number): string => text.length > length ? `${text.slice(0, length - 1)}…` : text

interface Face {
  readonly kind: string
  readonly title: string
  readonly note: string
  readonly tone: Tone
}

const runTones: Readonly<Record<string, Tone>> = {
  waiting: "waiting",
  ended: "good",
  failed: "bad",
  dropped: "plain",
  running: "accent",
  paused: "waiting",
  cancelled: "plain"
}

const deliveryTones: Readonly<Record<string, Tone>> = {
  waiting: "waiting",
  delivered: "good",
  pending: "waiting",
  exhausted: "bad",
  dropped: "plain"
}

/** The texts and the tone that a node shows. */
export const faceOf = (node: JourneyNode): Face => {
  switch (node.type) {
    case "event": {
      const stream = node.event_name === null ? "deleted" : spelled(node.event_name)
      return {
        kind: "Event",
        title: node.emitter_name ?? node.emitter_id,
        note: `${stream}, ${local(node.indexed_at_ms, { milliseconds: true })}`,
        tone: stream === "$errors" ? "bad" : "accent"
      }
    }
    case "request":
      return {
        kind: "Request",
        title: node.kind === "http" ? "HTTP request" : node.kind ?? "Request",
        note: local(node.received_at_ms, { milliseconds: true }),
        tone: "plain"
      }
    case "run": {
      const { ended_at_ms, error, logs, started_at_ms, state } = node
      const took = started_at_ms === null || ended_at_ms === null ? "" : ` in ${ended_at_ms - started_at_ms} ms`
      return {
        kind: "Run",
        title: node.listener_name ?? node.listener_id,
        note: error === null
          ? `${runWordOf(state)}${took}${logs === 0 ? "" : `, ${counted(logs, "line")}`}`
          : `${error.name}: ${error.message}`,
        tone: runTones[state] ?? "plain"
      }
    }
    case "delivery": {
      const { attempts, last_attempt, next_attempt_at_ms, state, waiting_for } = node
      const last = last_attempt === null ? "" : ` ${last_attempt.status ?? last_attempt.error_class ?? ""}`
      const why = waiting_for === undefined ? "" : `: ${waits[waiting_for] ?? waiting_for}`
      const next = next_attempt_at_ms === null ? "" : `, next ${local(next_attempt_at_ms)}`
      return {
        kind: "Delivery",
        title: node.webhook_id === null ? "own request" : node.webhook_name ?? node.webhook_id,
        note: `${state}${last}${why}${next}${attempts > 1 ? `, ${attempts} attempts` : ""}`,
        tone: deliveryTones[state] ?? "plain"
      }
    }
    case "consumer":
      return { kind: "Consumer", title: node.consumer_id, note: node.state, tone: deliveryTones[node.state] ?? "plain" }
    case "listener":
      return { kind: "Not reached", title: node.listener_name ?? node.listener_id, note: "", tone: "plain" }
  }
}

/** Marks a frame, for its style, with the sides on which it hides content. */
const markEdges = (frame: HTMLElement): void => {
  const right = frame.scrollWidth - frame.clientWidth - frame.scrollLeft
  frame.classList.toggle("has-left", frame.scrollLeft > 1)
  frame.classList.toggle("has-right", right > 1)
}

/** The way of an event: each node is a button that shows more of it. */
export const JourneyGraph = ({ chosen, journey, onChoose }: {
  readonly journey: Journey
  /** The id of the node that is shown in full. */
  readonly chosen: string
  readonly onChoose: (id: string) => void
}) => {
  const shape = JSON.stringify([journey.nodes.map(({ id }) => id), journey.edges.map(({ from, to }) => [from, to])])
  const placed = useMemo(() =>
    place({
      boxes: journey.nodes.map(({ id }) => id),
      links: journey.edges.map(({ from, to }) => [from, to]),
      box,
      gap,
      aspect: 1
    }), [shape])
  const frame = useRef<HTMLDivElement>(null)
  const own = journey.nodes[0]!.id
  useLayoutEffect(() => {
    // The first view shows the event itself, its next stops, and as much of what is before as there is room for.
    const { x, y } = placed.boxes.get(own)!
    const element = frame.current
    if (element === null) return
    const next = x + 1.5 * width + gap.width + 2 * margin
    element.scrollTo(Math.max(0, next - element.clientWidth), y - element.clientHeight / 2)
  }, [own])
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    markEdges(element)
    const observer = new ResizeObserver(() => markEdges(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [placed])
  const reasons = new Map(journey.edges.filter(({ matched }) => !matched).map((edge) => [edge.to, reasonOf(edge)]))
  return (
    <div
      ref={frame}
      class="journey"
      role="group"
      aria-label="Trace of the event"
      onScroll={(event) => markEdges(event.currentTarget)}
    >
      <svg
        width={placed.width + 2 * margin}
        height={placed.height + 2 * margin}
        viewBox={`${-margin} ${-margin} ${placed.width + 2 * margin} ${placed.height + 2 * margin}`}
        role="presentation"
      >
        {journey.edges.map((edge, index) => {
          const from = placed.boxes.get(edge.from)!
          const to = placed.boxes.get(edge.to)!
          return (
            <g key={`${edge.from} ${edge.to} ${edge.subscription_id}`} class={edge.matched ? "way" : "way is-not"}>
              <path d={curve(from, placed.links[index]!.between, to, box)} />
              <path class="way-end" d={arrow(from, to, box, { width: 6, height: 7 })} />
            </g>
          )
        })}
      </svg>
      {journey.nodes.map((node) => {
        const { kind, note, title, tone } = faceOf(node)
        const { x, y } = placed.boxes.get(node.id)!
        const said = harmless(note === "" ? reasons.get(node.id) ?? "" : note)
        return (
          <button
            key={node.id}
            type="button"
            class={`stop is-${tone} is-${node.type}`}
            aria-pressed={node.id === chosen}
            title={`${harmless(title)}\n${said}`}
            style={{
              left: `${margin + x - width / 2}px`,
              top: `${margin + y - height / 2}px`,
              width: `${width}px`,
              height: `${height}px`
            }}
            onClick={() => onChoose(node.id)}
          >
            <span class="stop-title">
              <span class="stop-kind">{kind}</span> <bdi>{harmless(cut(title, maxTitle))}</bdi>
            </span>
            <span class="stop-note">
              <bdi>{cut(said, maxNote)}</bdi>
            </span>
          </button>
        )
      })}
    </div>
  )
}
