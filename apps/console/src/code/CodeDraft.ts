/** Code that was changed and not yet deployed. */
interface CodeDraft {
  /** The hash of the code that the draft is based on. */
  readonly base: string
  readonly code: string
}

/** Drafts by the id of their source or workflow. They outlive the page that shows them, and the session. */
const drafts = new Map<string, CodeDraft>()

export const find = (program: string): CodeDraft | undefined => drafts.get(program)

export const keep = (program: string, draft: CodeDraft): void => {
  drafts.set(program, draft)
}

export const drop = (program: string): void => {
  drafts.delete(program)
}

// The browser asks the reader before the page is left, since that loses the drafts.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault()
})
