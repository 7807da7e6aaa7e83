/** Something is on its way. It shows after a moment, so that what comes at once does not flicker. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <p class="waiting" role="status">
    <span class="waiting-mark" aria-hidden="true" />
    Loading {what} …
  </p>
)
