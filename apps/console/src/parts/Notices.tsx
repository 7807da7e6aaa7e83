import { signal } from "@preact/signals"
import { Close } from "./Icons.tsx"

/** A notice of an action's outcome. */
interface Notice {
  readonly id: number
  readonly kind: "done" | "failed"
  readonly text: string
}

const notices = signal<ReadonlyArray<Notice>>([])

let nextId = 1

const doneMs = 6_000

const dismiss = (id: number) => {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Shows a notice to the reader. A failure stays until it is dismissed, and a success for some seconds. */
export const tell = (kind: Notice["kind"], text: string): void => {
  const id = nextId++
  notices.value = [...notices.value.slice(-3), { id, kind, text }]
  if (kind === "done") setTimeout(() => dismiss(id), doneMs)
}

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, kind, text }) => (
      <div key={id} class={`notice is-${kind}`}>
        <span>{text}</span>
        <button type="button" class="bare" aria-label="Dismiss" onClick={() => dismiss(id)}>
          <Close />
        </button>
      </div>
    ))}
  </div>
)
