import type { ComponentChildren } from "preact"

/** Says that the server has nothing to show, and what the reader can do about it. */
export const Empty = ({ children, what }: { readonly what: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-what">{what}</p>
    {children}
  </div>
)
