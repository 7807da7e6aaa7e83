/** Code that was changed and not yet deployed. */
interface CodeDraft {
  /** The hash of the code that it was made of. */
  readonly base: string
  readonly code: string
}

/** By the id of the source or workflow: it outlives the page that shows it, also the end of a session. */
const drafts = new Map<string, CodeDraft>()

export const find = (program: string): CodeDraft | undefined => drafts.get(program)

export const keep = (program: string, draft: CodeDraft): void => {
  drafts.set(program, draft)
}

export const drop = (program: string): void => {
  drafts.delete(program)
}

// The browser asks the reader before the page goes for good, and what is kept here with it.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault()
})
