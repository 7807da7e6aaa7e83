import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A question over the page. Escape closes it. */
export const Dialog = ({ children, isWide = false, onClose, title }: {
  readonly title: string
  /** True if it shows requests and responses. */
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} class={isWide ? "is-wide" : undefined} aria-label={title} onClose={onClose}>
      <div class="dialog-inside">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
