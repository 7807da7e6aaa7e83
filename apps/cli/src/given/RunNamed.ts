/** The run of a workflow that a command is about. */
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"

const workflow = Argument.String("workflow").pipe(Argument.withDescription(Kind.called(Kind.workflow)))

const run = Argument.String("run").pipe(Argument.withDescription("The run's id, such as run_0Uz7N5cVwQ2KpXs9TzLd"))

const named = { workflow, run }

export { named as arguments }

/** As the API's paths name it. */
export const paramsOf = (given: { readonly workflow: string; readonly run: string }) =>
  Effect.map(Naming.idOf(Kind.workflow, given.workflow), (id) => ({ id, run_id: given.run }))
