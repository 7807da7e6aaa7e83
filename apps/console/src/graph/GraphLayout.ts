import { graphlib, layout } from "@dagrejs/dagre"

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** What is to be placed, in pixels: boxes of one size and the links between them, from the left to the right. */
export interface Plan {
  readonly boxes: ReadonlyArray<string>
  readonly links: ReadonlyArray<readonly [from: string, to: string]>
  readonly box: Size
  /** What each link keeps free in its middle. */
  readonly label?: Size
  /** How far boxes are from each other, beside each other and one above the other. */
  readonly gap: Size
  /** How wide it is to be, for its height; parts that do not hang together are put beside each other. */
  readonly aspect: number
}

export interface PlacedLink {
  /** What it goes by between its ends. */
  readonly between: ReadonlyArray<Point>
  /** The middle of what is kept free for its label. */
  readonly label: Point | undefined
}

export interface Placed extends Size {
  /** The middle of each box. */
  readonly boxes: ReadonlyMap<string, Point>
  readonly links: ReadonlyArray<PlacedLink>
}

/** From so many boxes on, one of the steps is done in a way that is faster by far and looks little worse. */
const manyBoxes = 150

interface Part extends Size {
  readonly boxes: ReadonlyArray<string>
  /** The places of its links among all. */
  readonly links: ReadonlyArray<number>
  readonly graph: graphlib.Graph
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
    return { boxes: names, links: own, graph, isFolded: false, width: Math.ceil(width), height: Math.ceil(height) }
  })
}

/** A part that is so many times too high, for its width, is folded. */
const tooHigh = 3

/**
 * Puts the columns of a part that is much too high into several columns each, so that it can be surveyed. Its links then go
 * straight, behind what is between.
 */
const folded = (part: Part, { aspect, box, gap }: Plan): Part => {
  if (part.width * tooHigh > part.height * aspect) return part
  const placeOf = (name: string) => part.graph.node(name) as Point
  const columns = [...Map.groupBy(part.boxes, (name) => Math.round(placeOf(name).x))]
    .sort(([a], [b]) => a - b)
    .map(([, names]) => names.toSorted((a, b) => placeOf(a).y - placeOf(b).y))
  const step = { width: box.width + gap.height, height: box.height + gap.height }
  const widthOf = (rows: number) =>
    columns.reduce(
      (sum, names) => sum + Math.ceil(names.length / rows) * step.width + gap.width,
      -gap.width - gap.height
    )
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
    left += wide * step.width + gap.width
  }
  return { ...part, isFolded: true, width: widthOf(rows), height: rows * step.height - gap.height }
}

/** The upper left corners of some parts that are put on shelves, the highest first, and how much room they take. */
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

/** Places boxes so that links cross little. It takes up to seconds for a thousand of them. */
export const place = (plan: Plan): Placed => {
  const parts = partsOf(plan).map((part) => folded(part, plan))
  const { corners, height, width } = shelved(parts, plan.gap, plan.aspect)
  const boxes = new Map<string, Point>()
  const links = new Map<number, PlacedLink>()
  for (const part of parts) {
    const corner = corners.get(part)!
    const moved = ({ x, y }: Point): Point => ({ x: x + corner.x, y: y + corner.y })
    for (const name of part.boxes) boxes.set(name, moved(part.graph.node(name) as Point))
    for (const index of part.links) {
      const [from, to] = plan.links[index]!
      const link = part.graph.edge(from, to, String(index)) as Point & { readonly points: ReadonlyArray<Point> }
      links.set(index, {
        between: part.isFolded ? [] : link.points.slice(1, -1).map(moved),
        label: part.isFolded || plan.label === undefined ? undefined : moved(link)
      })
    }
  }
  return { boxes, links: plan.links.map((_, index) => links.get(index)!), width, height }
}

/** A curve from the right of one box to the left of another, which leaves and arrives level, around what is between. */
export const curve = (from: Point, between: ReadonlyArray<Point>, to: Point, { width }: Size): string => {
  let last: Point = { x: from.x + width / 2, y: from.y }
  let path = `M${last.x},${last.y}`
  for (const next of [...between, { x: to.x - width / 2, y: to.y }]) {
    const middle = (last.x + next.x) / 2
    path += `C${middle},${last.y} ${middle},${next.y} ${next.x},${next.y}`
    last = next
  }
  return path
}
