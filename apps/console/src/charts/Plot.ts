import "../navigatorLanguage.ts"
import uPlot from "uplot"
import { partsOf, zone } from "../Zone.ts"

/** A series as it is drawn. The first is filled, so that two series differ in more than colour. */
export interface PlotSeries {
  readonly values: ReadonlyArray<number | null>
  readonly isFilled: boolean
}

/** The values of consecutive steps. */
export interface PlotData {
  readonly fromMs: number
  readonly stepMs: number
  /** The number of steps. */
  readonly steps: number
  /** The end of the data, exclusive; the last step may not be over. */
  readonly untilMs: number
  readonly series: ReadonlyArray<PlotSeries>
}

export interface PlotOptions {
  readonly isLogarithmic: boolean
  /** Formats a value for the axis. */
  readonly format: (value: number) => string
  /** The present colours of the series and of the axes. */
  readonly colours: () => { readonly series: ReadonlyArray<string>; readonly ink: string; readonly line: string }
  /** Called when the pointer is at a step, or at none. */
  readonly onPoint: (step: number | undefined) => void
}

const ticks = [1, 2, 5].flatMap((first) => Array.from({ length: 13 }, (_, power) => first * 10 ** power))
  .toSorted((a, b) => a - b)

const dayMs = 86_400_000

/** A tick's time in the chosen zone, or its date where a day begins. */
const tickText = (ms: number, stepMs: number): string => {
  const { clock, day } = partsOf(ms)
  return stepMs >= dayMs || clock.startsWith("00:00") ? day : clock.slice(0, 5)
}

/** The key of the charts whose pointers move together. They show the same time range. */
const together = "overview"

const font = "11px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Helvetica Neue\", Arial, sans-serif"

/** The width of the value axis, in pixels. It is fixed, so that nothing moves when the values change. */
const axisWidth = 52

/** Draws a value across its whole step, and no line for a step without a value. */
const stepPaths: uPlot.Series.PathBuilder = (plot, index) => {
  const stroke = new Path2D()
  const fill = new Path2D()
  const xs = plot.data[0]
  const values = plot.data[index]!
  const scale = plot.series[index]!.scale ?? "y"
  const ground = plot.bbox.top + plot.bbox.height
  let before: number | null = null
  for (let step = 0; step < xs.length - 1; step++) {
    const value = values[step] ?? null
    if (value !== null) {
      const [left, right] = [plot.valToPos(xs[step]!, "x", true), plot.valToPos(xs[step + 1]!, "x", true)]
      const top = plot.valToPos(value, scale, true)
      if (before === null) stroke.moveTo(left, top)
      else stroke.lineTo(left, top)
      stroke.lineTo(right, top)
      fill.rect(left, top, right - left, ground - top)
    }
    before = value
  }
  return { stroke, fill, flags: 1 }
}

/** A chart of steps, on a canvas. The page shows its content as text beside it. */
export class Plot {
  readonly #plot: uPlot
  #data: PlotData

  constructor(host: HTMLElement, data: PlotData, options: PlotOptions) {
    this.#data = data
    const { colours, format, isLogarithmic, onPoint } = options
    const axis = { stroke: () => colours().ink, font, ticks: { show: false } }
    const grid = { stroke: () => colours().line, width: 1 }
    this.#plot = new uPlot(
      {
        width: Math.max(1, host.clientWidth),
        height: host.clientHeight,
        ms: 1,
        ...(zone === "UTC" ? { tzDate: (ms: number) => uPlot.tzDate(new Date(ms), "Etc/UTC") } : {}),
        // Half of the last time label sticks out of the axis.
        padding: [8, 20, 0, 0],
        legend: { show: false },
        select: { show: false, left: 0, top: 0, width: 0, height: 0 },
        cursor: {
          y: false,
          points: { show: false },
          drag: { x: false, y: false, setScale: false },
          sync: { key: together, setSeries: false, scales: ["x", null] }
        },
        scales: {
          x: { time: true, range: () => [this.#data.fromMs, this.#end] },
          y: isLogarithmic
            ? { distr: 3, range: (_, least, most) => logRange(least, most) }
            : { range: (_, _least, most) => [0, Math.max(4, (most ?? 0) * 1.08)] }
        },
        axes: [
          {
            ...axis,
            size: 24,
            gap: 7,
            space: 64,
            grid: { show: false },
            values: (_, splits, _axis, _space, stepMs) => splits.map((ms) => tickText(ms, stepMs))
          },
          {
            ...axis,
            size: axisWidth,
            gap: 6,
            space: 28,
            grid,
            ...(isLogarithmic
              ? {
                splits: (_plot: uPlot, _axis: number, least: number, most: number) => powers(least, most),
                filter: (_plot: uPlot, splits: Array<number>) => splits
              }
              : { incrs: ticks }),
            values: (_, splits) => splits.map((value) => value === null ? "" : format(value))
          }
        ],
        series: [
          {},
          ...data.series.map(({ isFilled }, index): uPlot.Series => ({
            width: 1.5,
            pxAlign: 0,
            spanGaps: false,
            paths: stepPaths,
            points: { show: false },
            stroke: () => colours().series[index] ?? "",
            fill: () => isFilled ? `color-mix(in srgb, ${colours().series[index]} 22%, transparent)` : "transparent"
          }))
        ],
        hooks: {
          setCursor: [
            (plot) => {
              const { left } = plot.cursor
              onPoint(left === undefined || left < 0 ? undefined : this.#stepAt(plot.posToVal(left, "x")))
            }
          ],
          drawSeries: [(plot, index) => {
            if (index === data.series.length) this.#veil(plot)
          }]
        }
      },
      this.#table(),
      host
    )
  }

  show(data: PlotData): void {
    this.#data = data
    this.#plot.setData(this.#table())
  }

  resize(width: number, height: number): void {
    if (width > 0 && (width !== this.#plot.width || height !== this.#plot.height)) this.#plot.setSize({ width, height })
  }

  /** Draws again, after a change of colours. */
  redraw(): void {
    this.#plot.redraw(false)
  }

  /** Puts the pointer of this chart at a step, or removes it. */
  point(step: number | undefined): void {
    const { fromMs, stepMs } = this.#data
    const left = step === undefined ? -10 : this.#plot.valToPos(fromMs + (step + 0.5) * stepMs, "x")
    this.#plot.setCursor({ left, top: step === undefined ? -10 : 0 }, true)
  }

  remove(): void {
    this.#plot.destroy()
  }

  get #end(): number {
    const { fromMs, stepMs, steps } = this.#data
    return fromMs + steps * stepMs
  }

  #stepAt(ms: number): number | undefined {
    const { fromMs, stepMs, steps } = this.#data
    const step = Math.floor((ms - fromMs) / stepMs)
    return steps === 0 ? undefined : Math.min(steps - 1, Math.max(0, step))
  }

  /** The data in uPlot's form: the beginnings of the steps and the end of the last one, then the values. */
  #table(): uPlot.AlignedData {
    const { fromMs, series, stepMs, steps } = this.#data
    return [
      Array.from({ length: steps + 1 }, (_, step) => fromMs + step * stepMs),
      ...series.map(({ values }) => [...values, null])
    ]
  }

  /** Draws the last step paler if it is not over. */
  #veil(plot: uPlot): void {
    const { untilMs } = this.#data
    if (untilMs >= this.#end) return
    const { ctx } = plot
    const begin = plot.valToPos(this.#end - this.#data.stepMs, "x", true)
    const end = plot.valToPos(this.#end, "x", true)
    ctx.save()
    ctx.globalCompositeOperation = "destination-out"
    ctx.globalAlpha = 0.55
    ctx.fillRect(begin + 1, plot.bbox.top, end - begin, plot.bbox.height)
    ctx.restore()
  }
}

const logRange = (least: number | null, most: number | null): [number, number] => {
  const from = 10 ** Math.floor(Math.log10(Math.max(1, least ?? 1)))
  const to = 10 ** Math.ceil(Math.log10(Math.max(1, most ?? 100)))
  return [from, Math.max(to, from * 10)]
}

/** A mark at each power of ten. */
const powers = (least: number, most: number): Array<number> => {
  const found: Array<number> = []
  for (let value = least; value <= most * 1.001; value *= 10) found.push(value)
  return found
}
