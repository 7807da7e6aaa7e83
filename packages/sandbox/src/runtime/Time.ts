/** What component code takes for the time of day, where the host says that it is another than the system's. */

const System = Date
const { defineProperty } = Object

let time: number | undefined

const install = (): void => {
  const now = () => time!
  const Told: DateConstructor = new Proxy(System, {
    apply: () => new System(now()).toString(),
    construct: (_, values, target) =>
      Reflect.construct(System, values.length === 0 ? [now()] : values, target === Told ? System : target),
    get: (target, name) => name === "now" ? now : Reflect.get(target, name)
  })
  defineProperty(System.prototype, "constructor", { value: Told, writable: true, configurable: true })
  defineProperty(globalThis, "Date", { value: Told, writable: true, configurable: true })
}

/** From now on it is this time, in Unix milliseconds, and stays it. */
export const setTime = (told: number): void => {
  if (time === undefined) install()
  time = told
}
