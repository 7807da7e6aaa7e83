import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as Parts from "./Parts.ts"
import type { Framing, Plan } from "./Plan.ts"

/** How often an operation is asked for: those that start processes cost a hundred times the others. */
const weightOf = ({ id, method }: Operation): number => {
  if (/^(components\.create|sources\.(create|update))$/.test(id)) return 1
  if (/^(sources\.delete|code\.(check|try.*))$/.test(id)) return 1
  return method === "GET" ? 3 : 4
}

/** Operations by how often they are to be asked for, and requests of each. */
export const weighted = <A>(
  operations: ReadonlyArray<Operation>,
  of: (operation: Operation) => FastCheck.Arbitrary<A>
): FastCheck.Arbitrary<A> =>
  FastCheck.oneof(...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: of(operation) })))

const framing = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constant<Framing>({ type: "length" }) },
  {
    weight: 1,
    arbitrary: FastCheck.integer({ min: 1, max: 5_000 }).map((size): Framing => ({ type: "chunked", size }))
  }
)

/** Requests as the document describes them. */
export const plans = (operations: ReadonlyArray<Operation>): FastCheck.Arbitrary<Plan> =>
  weighted(operations, (operation) =>
    FastCheck.tuple(Parts.of(operation), framing).map(([parts, framing]): Plan => ({
      mode: "valid",
      operation: operation.id,
      trait: "in order",
      expects: "taken",
      content: { type: "messages", messages: [{ ...Parts.messageOf(parts), framing }] }
    })))
