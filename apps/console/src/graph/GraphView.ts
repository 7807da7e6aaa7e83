import { signal } from "@preact/signals"
import type { Placed, Point, Size } from "./GraphLayout.ts"

export interface Area extends Point, Size {}

/** The margin around a drawing that is fitted into its frame, in pixels. */
const padding = 12

const minScale = 0.02
const maxScale = 2.5

/** The largest scale that `fit` chooses, so that a small drawing is not blown up to fill its frame. */
const maxFitScale = 1

/** The margin that is drawn on each side of the visible part, as a share of that part's size. */
const around = 0.3

/** Below this scale nobody can read the text. */
const readableScale = 0.5

/** The scale at which the text of the drawing, of 13 pixels, is as small as text may be at first: 12 pixels. */
const legibleScale = 12 / 13

/** A drawing of more boxes is shown as a whole at first, even where nobody can read it then. */
const maxLegible = 60

/** The margin around boxes that are brought into view, in pixels. */
const edge = 8

type Span = readonly [from: number, to: number]

const clamp = (value: number, one: number, other: number): number =>
  Math.min(Math.max(one, other), Math.max(Math.min(one, other), value))

/** The least shift after which `first` is within 0 and `length`, and as much of `all`, which contains it, as can be. */
const leastShift = ([firstFrom, firstTo]: Span, [from, to]: Span, length: number): number =>
  clamp(clamp(0, -from, length - to), -firstFrom, length - firstTo)

/** The visible part of a drawing in its frame, and its scale. */
export class GraphView {
  /** A point of the drawing appears at its place times `#scale`, moved by `#x` and `#y`, in pixels. */
  #scale = 1
  #x = 0
  #y = 0
  #frame: Size = { width: 0, height: 0 }
  #drawing: Size = { width: 0, height: 0 }
  #boxes = 0
  /** True once the reader has chosen the visible part: until then, everything is visible. */
  #isChosen = false
  #move: (transform: string) => void = () => {}

  /** True if the drawing is too small to be read. */
  readonly isFar = signal(false)
  /** The part that is drawn: the visible part and a margin, so that not every movement draws anew. */
  readonly drawn = signal<Area>({ x: 0, y: 0, width: 0, height: 0 })

  /** @param move shows the drawing under another transform */
  attach(move: (transform: string) => void): void {
    this.#move = move
    this.#show()
  }

  resize(frame: Size): void {
    this.#frame = frame
    if (this.#isChosen) this.#show()
    else this.begin()
  }

  /** Shows another drawing. Of the boxes in both drawings, the one nearest to the frame's middle stays in place. */
  replace(before: Placed | undefined, next: Placed): void {
    this.#drawing = next
    this.#boxes = next.boxes.size
    if (before === undefined || !this.#isChosen) return this.begin()
    const { height, width } = this.#frame
    const middle = this.#at({ x: width / 2, y: height / 2 })
    const distance = ({ x, y }: Point) => Math.hypot(x - middle.x, y - middle.y)
    const held =
      [...before.boxes].filter(([name]) => next.boxes.has(name)).sort(([, a], [, b]) => distance(a) - distance(b))[0]
    if (held === undefined) return this.begin()
    const [name, was] = held
    const is = next.boxes.get(name)!
    this.#x += (was.x - is.x) * this.#scale
    this.#y += (was.y - is.y) * this.#scale
    this.#show()
  }

  /** Shows everything, but of a drawing of few boxes no more than can be read, from its upper left corner on. */
  begin(): void {
    this.#fit(this.#boxes > maxLegible ? minScale : legibleScale)
  }

  /** Shows everything. */
  fit(): void {
    this.#fit(minScale)
  }

  #fit(leastScale: number): void {
    const { height, width } = this.#frame
    if (width === 0 || height === 0) return
    const fitting = Math.min(
      (width - 2 * padding) / Math.max(1, this.#drawing.width),
      (height - 2 * padding) / Math.max(1, this.#drawing.height)
    )
    this.#isChosen = false
    this.#scale = Math.min(maxFitScale, Math.max(leastScale, fitting))
    const free = (frame: number, drawing: number) => Math.max(2 * padding, frame - drawing * this.#scale) / 2
    this.#x = free(width, this.#drawing.width)
    this.#y = free(height, this.#drawing.height)
    this.#show()
  }

  /** Moves the drawing by so many pixels. */
  pan(x: number, y: number): void {
    this.#isChosen = true
    this.#x += x
    this.#y += y
    this.#show()
  }

  /** Scales the drawing by a factor; the point of it that is at `at` in the frame stays there. */
  zoom(factor: number, at: Point = { x: this.#frame.width / 2, y: this.#frame.height / 2 }): void {
    const point = this.#at(at)
    this.#isChosen = true
    this.#scale = Math.min(maxScale, Math.max(minScale, this.#scale * factor))
    this.#x = at.x - point.x * this.#scale
    this.#y = at.y - point.y * this.#scale
    this.#show()
  }

  /**
   * Brings a box into view with its neighbours, or with as much of them as there is room for, large enough to be read.
   * It moves no farther than that takes, so that what was visible stays so where it can.
   */
  reveal(point: Point, neighbours: ReadonlyArray<Point>, box: Size): void {
    const { height, width } = this.#frame
    if (width === 0) return
    if (this.#scale < readableScale) this.zoom(legibleScale / this.#scale)
    const all = [point, ...neighbours]
    const shift = (axis: "x" | "y", size: number, frame: number, moved: number) => {
      const half = size / 2
      const at = (value: number) => value * this.#scale + moved
      const span = (points: ReadonlyArray<Point>): Span => [
        at(Math.min(...points.map((one) => one[axis])) - half) - edge,
        at(Math.max(...points.map((one) => one[axis])) + half) + edge
      ]
      return leastShift(span([point]), span(all), frame)
    }
    const x = shift("x", box.width, width, this.#x)
    const y = shift("y", box.height, height, this.#y)
    if (x !== 0 || y !== 0) this.pan(x, y)
  }

  #at({ x, y }: Point): Point {
    return { x: (x - this.#x) / this.#scale, y: (y - this.#y) / this.#scale }
  }

  #show(): void {
    this.#move(`translate(${this.#x} ${this.#y}) scale(${this.#scale})`)
    this.isFar.value = this.#scale < readableScale
    const corner = this.#at({ x: 0, y: 0 })
    const width = this.#frame.width / this.#scale
    const height = this.#frame.height / this.#scale
    const { height: drawnHeight, width: drawnWidth, x, y } = this.drawn.peek()
    const isInside = corner.x >= x && corner.y >= y && corner.x + width <= x + drawnWidth &&
      corner.y + height <= y + drawnHeight
    if (isInside && drawnWidth <= 3 * width) return
    this.drawn.value = {
      x: corner.x - around * width,
      y: corner.y - around * height,
      width: (1 + 2 * around) * width,
      height: (1 + 2 * around) * height
    }
  }
}
