import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A button with something that opens below it. Escape, and a click elsewhere, close it. */
export const Dropdown = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => {
  const element = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeOutside = (event: MouseEvent) => {
      const details = element.current
      if (details !== null && event.target instanceof Node && !details.contains(event.target)) details.open = false
    }
    document.addEventListener("pointerdown", closeOutside)
    return () => document.removeEventListener("pointerdown", closeOutside)
  }, [])
  return (
    <details
      ref={element}
      class="dropdown"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || element.current === null || !element.current.open) return
        event.stopPropagation()
        element.current.open = false
        element.current.querySelector("summary")?.focus()
      }}
    >
      <summary>{label}</summary>
      <div class="dropdown-inside">{children}</div>
    </details>
  )
}
