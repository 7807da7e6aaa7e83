/** Values by key, each for as long as somebody else holds it. */
export class HeldWhileUsed<A extends object> {
  readonly #held = new Map<string, WeakRef<A>>()
  readonly #dropped = new FinalizationRegistry<string>((key) => {
    if (this.get(key) === undefined) this.#held.delete(key)
  })

  get(key: string): A | undefined {
    return this.#held.get(key)?.deref()
  }

  hold(key: string, value: A): void {
    if (this.get(key) === value) return
    this.#held.set(key, new WeakRef(value))
    this.#dropped.register(value, key)
  }

  forget(key: string): void {
    this.#held.delete(key)
  }
}
