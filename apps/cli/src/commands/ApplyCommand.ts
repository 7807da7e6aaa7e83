import { Console, Effect } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as SetupApplication from "../setup/SetupApplication.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as SetupOfAccount from "../setup/SetupOfAccount.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const command = <const Name extends string>(name: Name, description: string) =>
  Command.make(
    name,
    {
      folder: Argument.String("folder").pipe(Argument.withDescription("What `headwater export` has written")),
      dryRun: Flag.Boolean("dry-run").pipe(
        Flag.withDescription("Only show what would be done"),
        Flag.withDefault(false)
      ),
      prune: Flag.Boolean("prune").pipe(
        Flag.withDescription("Also delete what the account has and the folder has not, but for components"),
        Flag.withDefault(false)
      ),
      secrets: Flag.Boolean("secrets").pipe(
        Flag.withDescription("Also replace the secrets of what is there with those that the environment has"),
        Flag.withDefault(false)
      ),
      yes: Confirmation.flagOfPlan,
      json: Output.json
    },
    Effect.fnUntraced(function*({ dryRun, folder, json, prune, secrets, yes }) {
      const files = yield* SetupFolder.read(folder)
      const account = yield* SetupOfAccount.read(
        files.kinds.includes("files") || files.things.some(({ kind }) => kind === "files")
      )
      const plan = yield* SetupPlan.make({ account, files, folder, prune, secrets })
      const isAsked = !dryRun && !yes && plan.changes.length > 0
      if (isAsked && (json || !(yield* Confirmation.isAtTerminal))) {
        return yield* Confirmation.missing(plan.changes.length)
      }
      if (!json) yield* Console.log(harmless(SetupPlan.linesOf(plan)))
      const goesOn = !dryRun && plan.changes.length > 0 &&
        (!isAsked || (yield* Prompt.Confirm({ message: "Do this?" })))
      const applied = goesOn ? yield* SetupApplication.apply(plan) : []
      if (json) yield* Console.log(JSON.stringify({ changes: SetupPlan.jsonOf(plan), applied }))
      else if (goesOn) yield* Console.log(harmless(SetupApplication.linesOf(applied)))
    })
  ).pipe(
    Command.withDescription(description),
    Command.provide(ComponentFiles.layer),
    Command.provide(ApiAccess.layer)
  )

/** Makes an account be as files say. */
export const applyCommand = command("apply", "Make the account be as the files of an export say; shows a plan first")

/** The same, by the name that one looks for with an empty account. */
export const fillCommand = command(
  "import",
  "Move workflows in from elsewhere; with a folder that was exported from here, the same as apply"
)
