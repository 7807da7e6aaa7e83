import type { Finding } from "@headwater/api/DiagnosisApi"

/** One thing that was looked at, how it stands, and what to do about it. */
export interface Check extends Pick<Finding, "state" | "message" | "todo"> {
  readonly name: Finding["name"] | "settings" | "server" | "key" | "versions"
}

export const ok = (name: Check["name"], message: string): Check => ({ name, state: "ok", message, todo: null })

export const warning = (name: Check["name"], message: string, todo: string): Check => ({
  name,
  state: "warning",
  message,
  todo
})

export const failed = (name: Check["name"], message: string, todo: string): Check => ({
  name,
  state: "failed",
  message,
  todo
})

const signs = { ok: "ok", warning: "warning", failed: "FAILED" }

/** In lines for a person: what to do stands below what was found. */
export const textOf = (checks: ReadonlyArray<Check>): string =>
  checks.flatMap(({ message, name, state, todo }) => [
    `${signs[state].padEnd(7)}   ${name.padEnd(8)}   ${message}`,
    ...(todo === null ? [] : [`${" ".repeat(21)}${todo}`])
  ]).join("\n")
