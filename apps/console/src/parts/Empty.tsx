import type { ComponentChildren } from "preact"

/** The server answered that there is nothing, and what the reader can make of that. */
export const Empty = ({ children, what }: { readonly what: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-what">{what}</p>
    {children}
  </div>
)
