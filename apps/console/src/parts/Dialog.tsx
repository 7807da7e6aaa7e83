import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A question over the page. Escape closes it, and the focus goes back to where it was. */
export const Dialog = ({ children, isWide = false, onClose, title }: {
  readonly title: string
  /** True if it shows requests and responses. */
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    // The browser does so only if it is the browser that closes the dialog.
    return () =>
      queueMicrotask(() => {
        if (before instanceof HTMLElement && document.activeElement === document.body) before.focus()
      })
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? "is-wide" : undefined}
      aria-label={title}
      onClose={onClose}
      // The browser tells of the close later than of the key, when the next key may have opened the same dialog again.
      // A field for a file tells of its own cancel here.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-inside">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
