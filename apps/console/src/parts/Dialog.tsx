import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A question over the page. Escape closes it. */
export const Dialog = ({ children, onClose, title }: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="dialog-inside">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
