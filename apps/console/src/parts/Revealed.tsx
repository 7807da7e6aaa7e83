import { Copy } from "./Copy.tsx"

/** Something secret, for the reader to take away. */
export const Revealed = ({ text, what }: {
  readonly text: string
  /** The name of it, as in "signing secret". */
  readonly what: string
}) => (
  <p class="revealed" role="status">
    <code>
      <bdi>{text}</bdi>
    </code>{" "}
    <Copy text={() => text} what={what} />
  </p>
)
