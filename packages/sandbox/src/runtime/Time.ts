/** The time of day for component code, if the host says that it is another than the system's. */
import { current } from "./RunContext.ts"

/** It stands at a time, in Unix milliseconds, or goes so many milliseconds ahead of the system's. */
export type ToldTime =
  | { readonly mode: "standing"; readonly at: number }
  | { readonly mode: "running"; readonly aheadMs: number }

const System = Date
const systemNow = Date.now.bind(Date)
const { defineProperty } = Object

/** The time that was told last, for code of no run. */
let latest: ToldTime | undefined

const now = (): number => {
  const time = current()?.time ?? latest!
  return time.mode === "standing" ? time.at : systemNow() + time.aheadMs
}

const install = (): void => {
  const Told: DateConstructor = new Proxy(System, {
    apply: () => new System(now()).toString(),
    construct: (_, values, target) =>
      Reflect.construct(System, values.length === 0 ? [now()] : values, target === Told ? System : target),
    get: (target, name) => name === "now" ? now : Reflect.get(target, name)
  })
  defineProperty(System.prototype, "constructor", { value: Told, writable: true, configurable: true })
  defineProperty(globalThis, "Date", { value: Told, writable: true, configurable: true })
}

/** From now on component code sees a time of the host's, that of its own run first. */
export const tellTime = (told: ToldTime | undefined): void => {
  if (told === undefined) return
  if (latest === undefined) install()
  latest = told
}
