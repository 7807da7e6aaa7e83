import { useLayoutEffect } from "preact/hooks"

/** Closes a panel when Escape is pressed, unless something in it takes the key. */
export const useEscape = (onClose: () => void): void =>
  // The listener is there before the panel is painted, so that an immediate Escape closes the panel too.
  useLayoutEffect(() => {
    const onKey = (pressed: KeyboardEvent) => {
      if (pressed.key === "Escape" && !pressed.defaultPrevented) onClose()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [onClose])
