import type { Point, Size } from "./GraphLayout.ts"

/** A box, or the space for a label, by its middle. */
export interface Obstacle extends Point, Size {
  /** The column in which it was before its part was folded. */
  readonly rank: number
}

/** Obstacles above each other, from the top. */
interface Column {
  readonly left: number
  readonly right: number
  readonly rank: number
  readonly obstacles: ReadonlyArray<Obstacle>
}

/** The columns of a drawing, from left to right. */
export const columnsOf = (obstacles: ReadonlyArray<Obstacle>): ReadonlyArray<Column> =>
  [...Map.groupBy(obstacles, ({ x }) => Math.round(x)).values()].map((own) => ({
    left: Math.min(...own.map(({ width, x }) => x - width / 2)),
    right: Math.max(...own.map(({ width, x }) => x + width / 2)),
    rank: own[0]!.rank,
    obstacles: own.toSorted((a, b) => a.y - b.y)
  })).sort((a, b) => a.left - b.left)

/** The height nearest to `y` at which a level line stays so far away from all obstacles, but for its own label. */
const freeHeight = (y: number, obstacles: ReadonlyArray<Obstacle>, space: number, own?: Obstacle): number => {
  const others = obstacles.filter((other) => other !== own)
  const away = (other: Obstacle) => other.height / 2 + space
  const isFree = (height: number) => others.every((other) => Math.abs(height - other.y) > away(other) - 0.01)
  return [y, ...others.flatMap((other) => [other.y - away(other), other.y + away(other)])]
    .filter(isFree)
    .reduce((nearest, height) => Math.abs(height - y) < Math.abs(nearest - y) ? height : nearest, Infinity)
}

/** A link to be routed. */
export interface Ends {
  readonly from: Obstacle
  readonly to: Obstacle
  readonly label: Obstacle | undefined
  /** The height at which the link would pass the column at `x`, if the layout says so. */
  readonly wish: (x: number) => number | undefined
}

/**
 * The points of a link between its ends. It passes each column level and where there is nothing, and changes its
 * height only between columns, so that it crosses no box and no label.
 */
export const route = (columns: ReadonlyArray<Column>, ends: Ends, space: number): ReadonlyArray<Point> => {
  const { label, wish } = ends
  const [first, last] = ends.from.x < ends.to.x ? [ends.from, ends.to] : [ends.to, ends.from]
  const points = columns.filter(({ left, right }) => left > first.x && right < last.x).flatMap((column) => {
    const { left, obstacles, rank, right } = column
    const x = (left + right) / 2
    const own = label !== undefined && obstacles.includes(label) ? label : undefined
    const y = own === undefined
      ? rank === first.rank
        ? first.y
        : rank === last.rank
        ? last.y
        : wish(x) ?? first.y + (last.y - first.y) * (x - first.x) / (last.x - first.x)
      // Below its own label.
      : own.y + own.height / 2 - 6
    const level = freeHeight(y, obstacles, space, own)
    return [{ x: left, y: level }, { x: right, y: level }]
  })
  return first === ends.from ? points : points.toReversed()
}
