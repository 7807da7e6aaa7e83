import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"

const program = Path.resolve(import.meta.dirname, "../apps/cli/bin/headwater")

/** An account as the command line made it. */
export interface OperatorAccount {
  readonly id: string
  readonly key: string
}

/**
 * Creates an account of a running server as its operator does.
 *
 * @param dataDirectory the server's
 */
export const create = (
  dataDirectory: string,
  account: { readonly username: string; readonly plan: "free" | "paid" }
): Effect.Effect<OperatorAccount> =>
  Effect.callback((resume) => {
    const email = `${account.username}@example.com`
    execFile(
      program,
      ["account", "create", account.username, "--email", email, "--plan", account.plan, "--json"],
      { env: { PATH: process.env["PATH"], HEADWATER_DATA_DIR: dataDirectory } },
      (error, stdout, stderr) => {
        if (error !== null) return resume(Effect.die(new Error(`no account: ${error.message}\n${stdout}${stderr}`)))
        const created = Json.parse(stdout)
        resume(Effect.succeed({ id: Json.textOf(created["id"]), key: Json.textOf(created["api_key"]) }))
      }
    )
  })
