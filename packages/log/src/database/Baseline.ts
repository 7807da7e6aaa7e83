import { Effect } from "effect"
import * as Access from "./baseline/Access.ts"
import * as Cursors from "./baseline/Cursors.ts"
import * as Deliveries from "./baseline/Deliveries.ts"
import * as Figures from "./baseline/Figures.ts"
import * as Logs from "./baseline/Logs.ts"
import * as Nodes from "./baseline/Nodes.ts"
import * as Resources from "./baseline/Resources.ts"
import * as Workflows from "./baseline/Workflows.ts"

/** The schema that a database begins with, made in the order in which tables refer to each other. */
export const make = Effect.all([
  Access.make,
  Resources.make,
  Logs.make,
  Cursors.make,
  Deliveries.make,
  Workflows.make,
  Figures.make,
  Nodes.make
], { discard: true })
