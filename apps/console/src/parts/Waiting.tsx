/** Says that something is loading. It shows after a moment, so that a fast load does not flicker. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <p class="waiting" role="status">
    <span class="waiting-mark" aria-hidden="true" />
    Loading {what} …
  </p>
)
