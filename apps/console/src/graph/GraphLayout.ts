import { graphlib, layout } from "@dagrejs/dagre"
import { columnsOf, type Obstacle, route } from "./GraphRoutes.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** The input of a layout, in pixels: boxes of one size and the links between them, from left to right. */
export interface Plan {
  readonly boxes: ReadonlyArray<string>
  readonly links: ReadonlyArray<readonly [from: string, to: string]>
  readonly box: Size
  /** The space that each link keeps free in its middle. */
  readonly label?: Size
  /** The horizontal and the vertical distance between boxes. */
  readonly gap: Size
  /** The aimed ratio of width to height. Parts without links between them are put beside each other. */
  readonly aspect: number
}

export interface PlacedLink {
  /** The points between its ends. */
  readonly between: ReadonlyArray<Point>
  /** The middle of the space for its label. */
  readonly label: Point | undefined
}

export interface Placed extends Size {
  /** The middle of each box. */
  readonly boxes: ReadonlyMap<string, Point>
  readonly links: ReadonlyArray<PlacedLink>
}

/** A part with more boxes is ranked by a far faster method, which looks little worse. */
const manyBoxes = 150

interface Part extends Size {
  readonly boxes: ReadonlyArray<string>
  /** The indexes of its links among all links. */
  readonly links: ReadonlyArray<number>
  readonly graph: graphlib.Graph
  /** The columns of the boxes before the part was folded. */
  readonly ranks: ReadonlyMap<string, number>
  readonly isFolded: boolean
}

const partsOf = ({ box, boxes, gap, label, links }: Plan): ReadonlyArray<Part> => {
  const whole = new graphlib.Graph({ multigraph: true })
  for (const name of boxes) whole.setNode(name)
  for (const [from, to] of links) whole.setEdge(from, to)
  const parts = graphlib.alg.components(whole)
  const partOf = new Map(parts.flatMap((names, part) => names.map((name) => [name, part] as const)))
  const linksOf = Map.groupBy(links.keys(), (index) => partOf.get(links[index]![0])!)
  return parts.map((names, part) => {
    const own = linksOf.get(part) ?? []
    const graph = new graphlib.Graph({ multigraph: true })
    graph.setGraph({
      rankdir: "LR",
      nodesep: gap.height,
      ranksep: gap.width,
      ...(names.length > manyBoxes ? { ranker: "tight-tree" } : {})
    })
    for (const name of names) graph.setNode(name, { ...box })
    for (const index of own) graph.setEdge(...links[index]!, { ...label }, String(index))
    if (names.length > 1) layout(graph)
    else graph.setNode(names[0]!, { x: box.width / 2, y: box.height / 2 })
    const { height = box.height, width = box.width } = names.length > 1 ? graph.graph() as Partial<Size> : box
    return {
      boxes: names,
      links: own,
      graph,
      ranks: new Map(names.map((name) => [name, Math.round((graph.node(name) as Point).x)])),
      isFolded: false,
      width: Math.ceil(width),
      height: Math.ceil(height)
    }
  })
}

/** A part that exceeds the aimed height for its width by this factor is folded. */
const tooHigh = 3

/** Splits each column of a part that is much too high into several, so that a reader can survey the part. */
const folded = (part: Part, { aspect, box, gap }: Plan): Part => {
  if (part.width * tooHigh > part.height * aspect) return part
  const placeOf = (name: string) => part.graph.node(name) as Point
  const columns = [...Map.groupBy(part.boxes, (name) => part.ranks.get(name)!)]
    .sort(([a], [b]) => a - b)
    .map(([, names]) => names.toSorted((a, b) => placeOf(a).y - placeOf(b).y))
  const step = { width: box.width + gap.width, height: box.height + gap.height }
  const widthOf = (rows: number) =>
    columns.reduce((sum, names) => sum + Math.ceil(names.length / rows) * step.width, -gap.width)
  let rows = 1
  while (widthOf(rows) > rows * step.height * aspect) rows++
  let left = 0
  for (const names of columns) {
    const wide = Math.ceil(names.length / rows)
    const high = Math.ceil(names.length / wide)
    const top = (rows - high) * step.height / 2
    for (const [index, name] of names.entries()) {
      Object.assign(placeOf(name), {
        x: left + Math.floor(index / high) * step.width + box.width / 2,
        y: top + index % high * step.height + box.height / 2
      })
    }
    left += wide * step.width
  }
  return { ...part, isFolded: true, width: widthOf(rows), height: rows * step.height - gap.height }
}

/** Puts parts on shelves, the highest first: their upper left corners, and the size of the whole. */
const shelved = (
  parts: ReadonlyArray<Part>,
  gap: Size,
  aspect: number
): Size & { readonly corners: Map<Part, Point> } => {
  const area = parts.reduce((sum, { height, width }) => sum + (width + gap.width) * (height + gap.height), 0)
  const room = Math.max(Math.sqrt(area * aspect), ...parts.map(({ width }) => width))
  const corners = new Map<Part, Point>()
  let [x, y, shelf, width] = [0, 0, 0, 0]
  for (const part of parts.toSorted((a, b) => b.height - a.height || b.boxes.length - a.boxes.length)) {
    if (x > 0 && x + part.width > room) {
      y += shelf + gap.height
      x = 0
      shelf = 0
    }
    corners.set(part, { x, y })
    x += part.width + gap.width
    shelf = Math.max(shelf, part.height)
    width = Math.max(width, x - gap.width)
  }
  return { corners, width, height: y + shelf }
}

/** The routes of a part's links, by their indexes. */
const routed = (part: Part, { box, gap, label, links }: Plan): ReadonlyArray<readonly [number, PlacedLink]> => {
  const boxes = new Map(part.boxes.map((name): [string, Obstacle] => {
    const { x, y } = part.graph.node(name) as Point
    return [name, { x, y, ...box, rank: part.ranks.get(name)! }]
  }))
  const ways = part.links.map((index) => {
    const [from, to] = links[index]!
    const { points, x, y } = part.graph.edge(from, to, String(index)) as Point & {
      readonly points: ReadonlyArray<Point>
    }
    return {
      from: boxes.get(from)!,
      to: boxes.get(to)!,
      label: part.isFolded || label === undefined ? undefined : { x, y, ...label, rank: Math.round(x) },
      wish: (at: number) => {
        if (part.isFolded) return undefined
        const y = points.find((point) => Math.round(point.x) === Math.round(at))?.y
        // The layout may lead a link past all boxes of the part, where another part lies.
        return y === undefined ? undefined : Math.min(part.height, Math.max(0, y))
      }
    }
  })
  const columns = columnsOf([...boxes.values(), ...ways.flatMap(({ label }) => label ?? [])])
  return part.links.map((index, way) => {
    const ends = ways[way]!
    return [index, { between: route(columns, ends, gap.height / 2), label: ends.label }]
  })
}

/** Places boxes so that few links cross. A thousand boxes can take seconds. */
export const place = (plan: Plan): Placed => {
  const parts = partsOf(plan).map((part) => folded(part, plan))
  const { corners, height, width } = shelved(parts, plan.gap, plan.aspect)
  const boxes = new Map<string, Point>()
  const links = new Map<number, PlacedLink>()
  for (const part of parts) {
    const corner = corners.get(part)!
    const moved = ({ x, y }: Point): Point => ({ x: x + corner.x, y: y + corner.y })
    for (const name of part.boxes) boxes.set(name, moved(part.graph.node(name) as Point))
    for (const [index, { between, label }] of routed(part, plan)) {
      links.set(index, { between: between.map(moved), label: label === undefined ? undefined : moved(label) })
    }
  }
  return { boxes, links: plan.links.map((_, index) => links.get(index)!), width, height }
}

/** The point at which a link meets the box at `at`, on the side of the box at `other`. */
export const meeting = (at: Point, other: Point, { width }: Size): Point => ({
  x: at.x + (at.x < other.x ? width / 2 : -width / 2),
  y: at.y
})

/** A curve from the side of one box to the facing side of another, level at both ends, by way of `between`. */
export const curve = (from: Point, between: ReadonlyArray<Point>, to: Point, box: Size): string => {
  let last = meeting(from, to, box)
  let path = `M${last.x},${last.y}`
  for (const next of [...between, meeting(to, from, box)]) {
    const middle = (last.x + next.x) / 2
    path += `C${middle},${last.y} ${middle},${next.y} ${next.x},${next.y}`
    last = next
  }
  return path
}

/** The head of an arrow that arrives at the box at `to`. */
export const arrow = (from: Point, to: Point, box: Size, { height, width }: Size): string => {
  const { x, y } = meeting(to, from, box)
  const back = x + (from.x < to.x ? -width : width)
  return `M${back},${y - height / 2}L${x},${y}L${back},${y + height / 2}Z`
}
