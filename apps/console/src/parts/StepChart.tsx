import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Plot, PlotData } from "../charts/Plot.ts"
import { everyStep } from "../resources/AccountFigures.ts"
import { theme } from "../Theme.ts"
import { minuteOf, Time, utc } from "./Time.tsx"

export type Colour = "first" | "second" | "bad" | "wait"

/** A line of a chart. */
export interface ChartSeries {
  readonly name: string
  readonly colour: Colour
  /** A value for each step; null if a step has none. */
  readonly values: ReadonlyArray<number | null>
  /** A summary of the whole series, in a word or two. */
  readonly whole: string
}

/** The chart library loads while the figures load. */
const drawing = import("../charts/Plot.ts").then(({ Plot }) => Plot, () => undefined)

const isDark = matchMedia("(prefers-color-scheme: dark)")

/** The number of steps by which each key moves the pointer. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
}

const coloursIn = (figure: HTMLElement) => {
  const colourOf = (selector: string) => getComputedStyle(figure.querySelector(selector)!)
  return {
    series: [...figure.querySelectorAll(".swatch")].map((swatch) => getComputedStyle(swatch).color),
    ink: colourOf(".plot").color,
    line: colourOf(".plot").borderBottomColor
  }
}

/** The steps of a chart as a table. */
const ChartTable = ({ series, steps, title, valueAt }: {
  readonly title: string
  readonly series: ReadonlyArray<ChartSeries>
  /** The rows from top to bottom, with the times at which they begin, in Unix milliseconds. */
  readonly steps: ReadonlyArray<{ readonly step: number; readonly begin: number; readonly isOver: boolean }>
  readonly valueAt: (series: ChartSeries, step: number) => string
}) => (
  <div class="scrolled" role="region" aria-label={`${title} as a table`} tabIndex={0}>
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">From</th>
          {series.map(({ name }) => <th key={name} scope="col">{name}</th>)}
        </tr>
      </thead>
      <tbody>
        {steps.map(({ begin, isOver, step }) => (
          <tr key={begin}>
            <td>
              <Time ms={begin} />
              {isOver ? "" : " so far"}
            </td>
            {series.map((one) => <td key={one.name}>{valueAt(one, step)}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Draws a plot in an element of a figure, and draws it again when the data or the colours change. */
const usePlot = (
  data: PlotData,
  changes: ReadonlyArray<unknown>,
  { format, isLogarithmic }: { readonly isLogarithmic: boolean; readonly format: (value: number) => string }
) => {
  const figure = useRef<HTMLElement>(null)
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | undefined>(undefined)
  const pointed = useSignal<number | undefined>(undefined)
  const isMissing = useSignal(false)
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    let isGone = false
    const redraw = () => plot.current?.redraw()
    const observer = new ResizeObserver(([entry]) =>
      plot.current?.resize(entry!.contentRect.width, entry!.contentRect.height)
    )
    const draw = async () => {
      const Drawn = await drawing
      if (isGone || host.current === null) return
      if (Drawn === undefined) {
        isMissing.value = true
        return
      }
      plot.current = new Drawn(host.current, latest.current, {
        isLogarithmic,
        format,
        colours: () => coloursIn(figure.current!),
        onPoint: (step) => {
          pointed.value = step
        }
      })
      observer.observe(host.current)
    }
    void draw()
    isDark.addEventListener("change", redraw)
    return () => {
      isGone = true
      observer.disconnect()
      isDark.removeEventListener("change", redraw)
      plot.current?.remove()
    }
  }, [])
  useLayoutEffect(() => plot.current?.show(latest.current), changes)
  useEffect(() => plot.current?.redraw(), [theme.value])

  return { figure, host, plot, pointed, isMissing }
}

/** The steps of a few series over time: as a chart, as text at the pointer, and as a table. */
export const StepChart = ({ empty, format, fromMs, isLogarithmic = false, series, stepMs, title, untilMs }: {
  readonly title: string
  readonly series: ReadonlyArray<ChartSeries>
  readonly fromMs: number
  readonly stepMs: number
  /** The end of the data, exclusive; the last step may not be over. */
  readonly untilMs: number
  readonly isLogarithmic?: boolean
  readonly format: (value: number) => string
  /** The text in place of an empty chart; zeros are drawn. */
  readonly empty?: string
}) => {
  const isOpen = useSignal(false)

  const steps = series[0]?.values.length ?? 0
  const data: PlotData = {
    fromMs,
    stepMs,
    steps,
    untilMs,
    series: series.map(({ values }, index) => ({ values, isFilled: index === 0 }))
  }
  const { figure, host, isMissing, plot, pointed } = usePlot(data, [series, fromMs, untilMs], { isLogarithmic, format })

  const beginOf = (step: number) => fromMs + step * stepMs
  const at = pointed.value === undefined ? undefined : Math.min(pointed.value, steps - 1)
  const textAt = (step: number): string => {
    const begin = beginOf(step)
    const isOver = begin + stepMs <= untilMs
    return `${minuteOf(begin)} to ${isOver ? minuteOf(begin + stepMs) : "now"}`
  }
  const valueAt = ({ values }: ChartSeries, step: number): string => {
    const value = values[step] ?? null
    return value === null ? "none" : format(value)
  }
  const spoken = at ?? steps - 1

  const move = (event: KeyboardEvent) => {
    if (event.key === "Escape") return plot.current?.point(undefined)
    const by = moves[event.key]
    if (by === undefined || steps === 0) return
    event.preventDefault()
    const from = at ?? (by < 0 ? steps : -1)
    plot.current?.point(Math.min(steps - 1, Math.max(0, from + by)))
  }

  return (
    <figure class="step-chart" ref={figure} aria-label={title}>
      <div class="chart-head">
        <h3>{title}</h3>
        <span class="note" {...(at === undefined ? {} : { title: utc(beginOf(at)) })}>
          {at === undefined ? `in every ${everyStep(stepMs)}` : textAt(at)}
        </span>
      </div>
      <ul class="legend">
        {series.map((one) => (
          <li key={one.name}>
            <span class={`swatch is-${one.colour}`} aria-hidden="true" />
            {one.name} <b>{at === undefined ? one.whole : valueAt(one, at)}</b>
          </li>
        ))}
      </ul>
      <div class="plot-frame">
        <div
          ref={host}
          class="plot"
          role="slider"
          tabIndex={0}
          aria-label={`${title}, in every ${everyStep(stepMs)}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, steps - 1)}
          aria-valuenow={Math.max(0, spoken)}
          aria-valuetext={steps === 0
            ? "nothing"
            : `${textAt(spoken)}: ${series.map((one) => `${one.name} ${valueAt(one, spoken)}`).join(", ")}`}
          onKeyDown={move}
          onBlur={() => plot.current?.point(undefined)}
        />
        {isMissing.value
          ? <p class="plot-note">The chart could not be loaded; load the page again. The table has its numbers.</p>
          : empty === undefined
          ? null
          : <p class="plot-note">{empty}</p>}
      </div>
      <details
        class="chart-table"
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open
        }}
      >
        <summary>As a table</summary>
        {isOpen.value
          ? (
            <ChartTable
              title={title}
              series={series}
              steps={Array.from({ length: steps }, (_, index) => steps - 1 - index).map((step) => ({
                step,
                begin: beginOf(step),
                isOver: beginOf(step) + stepMs <= untilMs
              }))}
              valueAt={valueAt}
            />
          )
          : null}
      </details>
    </figure>
  )
}
