import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { type Failure, failureOf } from "../api/Failure.ts"
import { count } from "../charts/Figures.ts"
import { isNarrow } from "../charts/Narrow.ts"
import * as Graph from "../graph/Graph.ts"
import { arrow, curve, type Placed, type Point, type Size } from "../graph/GraphLayout.ts"
import type { Line, Shape, Stop } from "../graph/GraphShape.ts"
import { type Area, GraphView } from "../graph/GraphView.ts"
import { layOut } from "../graph/layOut.ts"
import * as Directory from "../resources/Directory.ts"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { NodeMark } from "./NodeState.tsx"
import { Waiting } from "./Waiting.tsx"

const box: Size = { width: 232, height: 62 }
const gap: Size = { width: 36, height: 14 }
const label: Size = { width: 84, height: 36 }

/** The most lines in a drawing that have room for labels. */
const maxLabelled = 60

/** The distance of the two lines of a label. */
const lineHeight = 14

/** The length of text that fits into a line of a label, in characters. */
const maxLabel = 13

/** The lengths of text that fit into a stop, in characters. */
const maxTitle = 27
const maxNote = 34
/** Bold, since it says what is wrong. */
const maxSaid = 28

const cut = (text: string, length: number): string => text.length > length ? `${text.slice(0, length - 1)}…` : text

/** As many of the parts that a text has between commas as fit, and at least the first. */
const whole = (text: string, length: number): string => {
  const parts = text.split(", ")
  while (parts.length > 1 && parts.join(", ").length > length) parts.pop()
  return cut(parts.join(", "), length)
}

/** The live data of the drawn nodes and subscriptions, which change while the drawing stays. */
export interface Live {
  readonly nodes: ReadonlyMap<string, Graph.GraphNode>
  readonly edges: ReadonlyMap<string, Graph.GraphEdge>
}

const kinds: Readonly<Record<Stop["kind"], readonly [one: string, many: string]>> = {
  source: ["source", "sources"],
  workflow: ["workflow", "workflows"],
  webhook: ["webhook", "webhooks"],
  consumer: ["consumer", "consumers"],
  account: ["account", "accounts"],
  glob: ["glob", "globs"],
  gone: ["not there", "not there"]
}

interface Face {
  readonly title: string
  readonly note: string
  readonly said: string
  readonly state: Graph.NodeState | undefined
}

/** The texts and the state that a stop shows. */
export const faceOf = ({ ids, kind }: Stop, { nodes }: Live): Face => {
  const members = ids.flatMap((id) => nodes.get(id) ?? [])
  const [one, many] = kinds[kind]
  if (members.length === 0) {
    const title = ids.length === 1 ? ids[0]! : `${count(ids.length)} ${many}`
    return { title, note: one, said: kind === "glob" ? "hears all matching emitters" : "", state: undefined }
  }
  return {
    title: ids.length === 1 ? Graph.labelOf(members[0]!) : `${count(ids.length)} ${many}`,
    note: ids.length === 1 ? `${one}, ${Graph.ratesOf(members)}` : Graph.ratesOf(members),
    said: Graph.standingOf(members),
    state: Graph.worstOf(members)
  }
}

const StopView = ({ at, face, isChosen, isDim, isFar, stop }: {
  readonly stop: Stop
  readonly face: Face
  readonly at: Point
  readonly isChosen: boolean
  readonly isDim: boolean
  readonly isFar: boolean
}) => {
  const { height, width } = box
  const { note, said, state, title } = face
  const isGroup = stop.ids.length > 1
  return (
    <g
      class={`graph-stop is-${state ?? "none"} is-${stop.kind}${isChosen ? " is-chosen" : ""}${isDim ? " is-dim" : ""}`}
      transform={`translate(${at.x - width / 2} ${at.y - height / 2})`}
      data-stop={stop.key}
    >
      {isFar ? null : <title>{harmless(`${title}\n${note}\n${said}`)}</title>}
      {isGroup ? <rect class="graph-behind" x={5} y={5} width={width} height={height} rx={5} /> : null}
      <rect class="graph-box" width={width} height={height} rx={stop.kind === "glob" ? height / 2 : 5} />
      {isFar
        ? state === undefined || state === "ok"
          ? null
          : <NodeMark state={state} x={width / 2 - 24} y={height / 2 - 24} size={48} />
        : (
          <g clip-path={stop.kind === "glob" ? undefined : "url(#graph-box)"}>
            <text class="graph-title" x={stop.kind === "glob" ? 24 : 10} y={18}>{harmless(cut(title, maxTitle))}</text>
            <text class="graph-note" x={stop.kind === "glob" ? 24 : 10} y={35}>{cut(note, maxNote)}</text>
            {state === undefined ? null : <NodeMark state={state} x={10} y={43} size={12} />}
            <text class="graph-said" x={state === undefined ? 24 : 26} y={53}>{whole(said, maxSaid)}</text>
          </g>
        )}
    </g>
  )
}

type LineTone = "plain" | "waiting" | "failing" | "matches"

interface LineFace {
  readonly tone: LineTone
  readonly text: string
}

const lineFaceOf = ({ subscriptions }: Line, { edges, nodes }: Live): LineFace => {
  if (subscriptions.length === 0) return { tone: "matches", text: "" }
  const known = subscriptions.flatMap((id) => edges.get(id) ?? [])
  const waiting = known.reduce((sum, edge) => sum + edge.waiting, 0)
  const isLate = known.some((edge) => edge.waiting > 0 && nodes.get(edge.listener_id)?.type !== "consumer")
  const fails = known.some(({ listener_id }) => nodes.get(listener_id)?.state === "failing")
  const streams = [...new Set(known.map(({ event_name }) => event_name))]
  const text = [
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
    ...(known.length > 1 ? [`× ${count(known.length)}`] : []),
    ...(streams.length === 1 && streams[0] !== "" && streams[0] !== "default" ? [streams[0]!] : []),
    ...(known.length === 1 && known[0]!.is_filtered ? ["filtered"] : [])
  ].join(", ")
  return { tone: fails ? "failing" : isLate ? "waiting" : "plain", text }
}

interface Path {
  readonly line: Line
  readonly d: string
  /** The head of its arrow. */
  readonly end: string
  readonly label: Point | undefined
  readonly area: Area
}

const pathOf = (line: Line, placed: Placed, index: number): Path => {
  const from = placed.boxes.get(line.from)!
  const to = placed.boxes.get(line.to)!
  const { between, label: at } = placed.links[index]!
  const ends = [from, ...between, to]
  const xs = ends.map(({ x }) => x)
  const ys = ends.map(({ y }) => y)
  const [left, top] = [Math.min(...xs) - box.width, Math.min(...ys) - box.height]
  return {
    line,
    d: line.from === line.to
      // Members of the group hear each other.
      ? `M${from.x + box.width / 2},${from.y - 8}c44,-8 44,-44 0,-${box.height / 2 - 12}`
      : curve(from, between, to, box),
    end: arrow(from, to, box, { width: 7, height: 8 }),
    label: at,
    area: { x: left, y: top, width: Math.max(...xs) + box.width - left, height: Math.max(...ys) + box.height - top }
  }
}

const meet = (a: Area, b: Area): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

/** The lines of a label: one, or what comes before its first comma and the rest. */
const labelLines = (text: string): ReadonlyArray<string> => {
  const [first = "", ...rest] = text.split(", ")
  const lines = text.length <= maxLabel || rest.length === 0 ? [text] : [first, rest.join(", ")]
  return lines.map((line) => cut(line, maxLabel))
}

const Label = ({ at, text }: { readonly at: Point; readonly text: string }) => {
  const lines = labelLines(text)
  return (
    <text class="graph-label">
      {lines.map((line, index) => (
        <tspan key={index} x={at.x} y={at.y + 6 - (lines.length - 1 - index) * lineHeight}>{harmless(line)}</tspan>
      ))}
    </text>
  )
}

const LineView = ({ face, isChosen, isDim, path }: {
  readonly path: Path
  readonly face: LineFace
  readonly isChosen: boolean
  readonly isDim: boolean
}) => {
  const { d, end, label: at, line } = path
  return (
    <g class={`graph-line is-${face.tone}${isChosen ? " is-chosen" : ""}${isDim ? " is-dim" : ""}`}>
      <path d={d} />
      {line.from === line.to
        ? null
        : <path class="graph-end" d={end} />}
      {at === undefined || face.text === ""
        ? null
        : <Label at={at} text={face.text} />}
    </g>
  )
}

const tonesFarFirst: ReadonlyArray<LineTone> = ["matches", "plain", "waiting", "failing"]

interface Drawn {
  readonly shape: Shape
  readonly placed: Placed
  readonly paths: ReadonlyArray<Path>
}

const Stops = ({ chosen, drawn: { paths, placed, shape }, isDim, live, view }: {
  readonly drawn: Drawn
  readonly live: Live
  readonly chosen: string | undefined
  readonly isDim: (stop: Stop) => boolean
  readonly view: GraphView
}) => {
  const isFar = view.isFar.value
  const area = view.drawn.value
  const dim = new Set(shape.stops.flatMap((stop) => isDim(stop) ? [stop.key] : []))
  const isChosen = ({ from, to }: Line) => chosen !== undefined && (from === chosen || to === chosen)
  const faces = new Map(paths.map(({ line }) => [line, lineFaceOf(line, live)]))
  const near = paths.filter(({ area: own, line }) => isFar ? isChosen(line) : meet(own, area))
  return (
    <>
      {isFar
        ? tonesFarFirst.map((tone) => (
          <g key={tone} class={`graph-line is-${tone}`}>
            <path d={paths.flatMap(({ d, line }) => faces.get(line)!.tone === tone ? [d] : []).join("")} />
          </g>
        ))
        : null}
      {near.map((path) => (
        <LineView
          key={path.line.key}
          path={path}
          face={faces.get(path.line)!}
          isChosen={isChosen(path.line)}
          isDim={dim.has(path.line.from) && dim.has(path.line.to)}
        />
      ))}
      {shape.stops.map((stop) => {
        const at = placed.boxes.get(stop.key)!
        const own = { x: at.x - box.width / 2, y: at.y - box.height / 2, ...box }
        return meet(own, area)
          ? (
            <StopView
              key={stop.key}
              stop={stop}
              face={faceOf(stop, live)}
              at={at}
              isChosen={stop.key === chosen}
              isDim={dim.has(stop.key)}
              isFar={isFar}
            />
          )
          : null
      })}
    </>
  )
}

/** Lets pointers move the view: one pointer drags it, and two pointers or a wheel also scale it. */
const handle = (frame: HTMLElement, view: GraphView, onChoose: (key: string) => void): () => void => {
  const pointers = new Map<number, Point>()
  let isDragged = false
  const inFrame = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = frame.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const abort = new AbortController()
  const on = <Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (event: HTMLElementEventMap[Type]) => void
  ) => frame.addEventListener(type, listener, { signal: abort.signal, passive: false })
  on("pointerdown", (event) => {
    if (event.button !== 0) return
    if (pointers.size === 0) isDragged = false
    pointers.set(event.pointerId, inFrame(event))
  })
  const release = ({ pointerId }: PointerEvent) => {
    pointers.delete(pointerId)
    if (pointers.size === 0) frame.classList.remove("is-moving")
  }
  on("pointermove", (event) => {
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    // The button was released outside the frame.
    if (event.buttons === 0) return release(event)
    const now = inFrame(event)
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1]
    if (!isDragged && other === undefined && Math.hypot(now.x - before.x, now.y - before.y) < 4) return
    // The capture begins only here: an earlier one would send clicks to the frame and not to the stop below. Without
    // it, a finger's events would go to that stop, which may leave the drawing before the finger is lifted.
    if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId)
    isDragged = true
    frame.classList.add("is-moving")
    if (other === undefined) {
      view.pan(now.x - before.x, now.y - before.y)
    } else {
      const factor = Math.hypot(now.x - other.x, now.y - other.y) /
        Math.max(1, Math.hypot(before.x - other.x, before.y - other.y))
      view.pan((now.x - before.x) / 2, (now.y - before.y) / 2)
      view.zoom(factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 })
    }
    pointers.set(event.pointerId, now)
  })
  for (const type of ["pointerup", "pointercancel"] as const) on(type, release)
  on("click", ({ target }) => {
    const stop = target instanceof Element ? target.closest("[data-stop]") : null
    if (stop !== null && !isDragged) onChoose(stop.getAttribute("data-stop")!)
  })
  on("wheel", (event) => {
    event.preventDefault()
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30
    view.zoom(Math.exp(-Math.max(-120, Math.min(120, pixels)) / (event.ctrlKey ? 100 : 400)), inFrame(event))
  })
  on("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const step = 60
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => view.pan(step, 0),
      ArrowRight: () => view.pan(-step, 0),
      ArrowUp: () => view.pan(0, step),
      ArrowDown: () => view.pan(0, -step),
      "+": () => view.zoom(1.25),
      "=": () => view.zoom(1.25),
      "-": () => view.zoom(0.8),
      "0": () => view.fit()
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  return () => abort.abort()
}

/** The graph as a drawing that can be moved and scaled. Live data change in it without moving anything. */
export const GraphDrawing = ({ chosen, isDim, isOld, live, onChoose, revealed, shape, subject }: {
  readonly shape: Shape
  /** Identifies the part of the graph that the reader chose. If it changes, the view shows the whole drawing. */
  readonly subject: string
  readonly live: Live
  /** The key of the stop that is shown in full. */
  readonly chosen: string | undefined
  /** The key of the stop to bring into view. */
  readonly revealed: string | undefined
  readonly isDim: (stop: Stop) => boolean
  /** True if the live data are out of date. */
  readonly isOld: boolean
  readonly onChoose: (key: string) => void
}) => {
  const view = useMemo(() => new GraphView(), [])
  const drawn = useSignal<Drawn | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const moved = useRef<SVGGElement>(null)
  const choose = useRef(onChoose)
  choose.current = onChoose
  const shownSubject = useRef(subject)
  const aspect = isNarrow.value ? 0.7 : 1.5
  // Nodes without a name in the graph get theirs from the directory, which is read separately.
  void Directory.names.value

  useEffect(() => {
    const abort = new AbortController()
    const lines = shape.lines.filter(({ from, to }) => from !== to)
    const plan = {
      boxes: shape.stops.map(({ key }) => key),
      links: lines.map(({ from, to }) => [from, to] as const),
      box,
      gap,
      aspect,
      ...(lines.length <= maxLabelled ? { label } : {})
    }
    const draw = async () => {
      const placed = await layOut(plan, abort.signal)
      const links = new Map(lines.map((line, index) => [line.key, placed.links[index]!]))
      const all: Placed = {
        ...placed,
        links: shape.lines.map(({ key }) => links.get(key) ?? { between: [], label: undefined })
      }
      view.replace(drawn.peek()?.placed, all)
      if (shownSubject.current !== subject) view.begin()
      shownSubject.current = subject
      failure.value = undefined
      drawn.value = { shape, placed: all, paths: shape.lines.map((line, index) => pathOf(line, all, index)) }
    }
    draw().catch((error: unknown) => {
      if (!abort.signal.aborted) failure.value = failureOf(error)
    })
    return () => abort.abort()
  }, [shape, aspect])

  useLayoutEffect(() => {
    const element = frame.current!
    const stop = handle(element, view, (key) => choose.current(key))
    const observer = new ResizeObserver(() => view.resize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    view.attach((transform) => moved.current?.setAttribute("transform", transform))
    return () => {
      stop()
      observer.disconnect()
    }
  }, [])

  const present = drawn.value
  useEffect(() => {
    const boxes = present?.placed.boxes
    const at = revealed === undefined ? undefined : boxes?.get(revealed)
    if (at === undefined) return
    const neighbours = shape.lines.flatMap(({ from, to }) =>
      from === revealed ? boxes?.get(to) ?? [] : to === revealed ? boxes?.get(from) ?? [] : []
    )
    view.reveal(at, neighbours, box)
  }, [revealed, present === undefined])

  return (
    <div class={isOld ? "graph is-old" : "graph"}>
      <div
        ref={frame}
        class="graph-frame"
        role="group"
        tabIndex={0}
        aria-label="The drawing"
        aria-describedby="graph-keys"
      >
        <svg aria-hidden="true" width="100%" height="100%">
          <defs>
            <clipPath id="graph-box">
              <rect width={box.width - 6} height={box.height} />
            </clipPath>
          </defs>
          <g ref={moved}>
            {present === undefined
              ? null
              : <Stops drawn={present} live={live} chosen={chosen} isDim={isDim} view={view} />}
          </g>
        </svg>
      </div>
      <p id="graph-keys" class="visually-hidden">
        The arrow keys move it, plus and minus make it larger and smaller, zero shows all of it. The nodes are in the
        list beside it, and the subscriptions in the table.
      </p>
      {present === undefined && failure.value === undefined ? <Waiting what="the drawing" /> : null}
      {failure.value === undefined
        ? null
        : <Failed what="The graph could not be drawn." failure={failure.value} advice="The table shows the same." />}
      <div class="graph-zoom" role="group" aria-label="Size of the drawing">
        <button type="button" aria-label="Larger" title="Larger (+)" onClick={() => view.zoom(1.4)}>+</button>
        <button type="button" aria-label="Smaller" title="Smaller (−)" onClick={() => view.zoom(1 / 1.4)}>−</button>
        <button type="button" title="Show all of it (0)" onClick={() => view.fit()}>Fit</button>
      </div>
    </div>
  )
}
