import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CodeCheck from "../code/CodeCheck.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import * as Deployment from "../code/Deployment.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as TrialText from "../text/TrialText.ts"
import { props } from "./DeployCommand.ts"
import { codeOf, valuesOf } from "./RunCommand.ts"

const run = Command.make(
  "run",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A file, a folder, a URL such as npm:…, or the key of a component in the registry")
    ),
    props,
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, props, what }) {
    const { call } = yield* ApiAccess
    const found = yield* CodeCheck.find(what, true)
    const { declared, name, parameters } = yield* codeOf(found)
    const { subject } = found
    const payload = {
      ...(subject._tag === "Key" ? parameters : CodeCheck.parametersOf(subject, false)),
      configured_props: yield* valuesOf(declared, props)
    }
    const { data } = yield* call(({ code }) => code.runAction({ headers: {}, payload })).pipe(
      Effect.catchTags({
        ComponentInvalidProblem: (problem) => Effect.fail(Deployment.inFiles(subject)(problem)),
        HookFailedProblem: (problem) => Effect.fail(Deployment.inFiles(subject)(problem)),
        InvalidRequestProblem: (problem) => Effect.fail(Deployment.toldOf(name, problem))
      })
    )
    const done = TrialText.inPlace(data, subject._tag === "Code" ? subject.bundle.place : undefined)
    yield* Output.print(json, done, TrialText.linesOfAction(done))
    const failure = TrialText.failureOf(done)
    if (failure !== undefined) return yield* new CommandRefused({ message: failure })
  }, FlagWords.inFlags({ configured_props: "--prop" }))
).pipe(
  Command.withDescription("Run an action once on the server, and show its logs, exports and result"),
  Command.withExamples([
    { command: "headwater actions run shout.mjs --prop text=hello", description: "From a file" },
    {
      command: "headwater actions run npm:@acme/shop/actions/send.mjs --prop shop=apn_…",
      description: "From npm, with an account"
    }
  ]),
  Command.provide(ComponentFiles.layer)
)

export const actionsCommand = Command.make("actions").pipe(
  Command.withDescription("Run actions by themselves; as steps they are part of a workflow"),
  Command.withSubcommands([run]),
  Command.provide(ApiAccess.layer)
)
