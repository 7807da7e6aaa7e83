/** Code that was changed and not yet deployed. */
interface CodeDraft {
  /** The component that it was made of. */
  readonly base: string
  readonly code: string
}

/** By the id of the source: it outlives the page that shows it, also the end of a session. */
const drafts = new Map<string, CodeDraft>()

export const find = (source: string): CodeDraft | undefined => drafts.get(source)

export const keep = (source: string, draft: CodeDraft): void => {
  drafts.set(source, draft)
}

export const drop = (source: string): void => {
  drafts.delete(source)
}

// The browser asks the reader before the page goes for good, and what is kept here with it.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault()
})
