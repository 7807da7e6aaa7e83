import { Effect } from "effect"

/** Something of a test whose methods all are asynchronous. */
export abstract class Handle {
  /** @internal */
  readonly isHandle = true
}

/** The same handle with Effects in place of promises. A rejection is a defect, which ends the test. */
export type Effectful<A> = A extends Handle ? { readonly [K in Exclude<keyof A, "isHandle" | symbol>]: Member<A[K]> }
  : A

type Member<A> = A extends (...values: infer Values) => Promise<infer Value>
  ? (...values: { [K in keyof Values]: Effectful<Values[K]> }) => Effect.Effect<Effectful<Value>>
  : A

const original = Symbol("original")

const originalOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, original) ?? value : value

export const make = <A extends Handle>(handle: A): Effectful<A> =>
  new Proxy(handle, {
    get: (target, name) => {
      if (name === original) return target
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== "function") return member
      return (...values: ReadonlyArray<unknown>) =>
        Effect.promise(async () => {
          const answer: unknown = await Reflect.apply(member, target, values.map(originalOf))
          return answer instanceof Handle ? make(answer) : answer
        })
    }
  }) as Effectful<A>
