import { count } from "../charts/Figures.ts"
import type { Finding } from "../resources/Imports.ts"
import { harmless } from "./Harmless.ts"

const kinds: ReadonlyArray<readonly [kind: Finding["kind"], title: string]> = [
  ["failed", "Not imported"],
  ["missing", "To do"],
  ["different", "Different here"]
]

/** A message, in which commands and names are between backticks. */
export const Told = ({ message }: { readonly message: string }) => (
  <bdi>
    {harmless(message).split("`").map((part, index) => index % 2 === 0 ? part : <code key={index}>{part}</code>)}
  </bdi>
)

/** The findings of an import, by how much they matter; those that merely work otherwise are folded. */
export const ImportFindings = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) => (
  <>
    {kinds.map(([kind, title]) => {
      const own = findings.filter((finding) => finding.kind === kind)
      return own.length === 0 ? null : (
        <details key={kind} class="findings" open={kind !== "different"}>
          <summary>{title}: {count(own.length)}</summary>
          <ul>
            {own.map(({ file, line, message }, index) => (
              <li key={index}>
                <code>
                  <bdi>{harmless(file)}:{line}</bdi>
                </code>{" "}
                <Told message={message} />
              </li>
            ))}
          </ul>
        </details>
      )
    })}
  </>
)
