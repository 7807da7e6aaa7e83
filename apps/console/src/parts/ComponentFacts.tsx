import type { ComponentChildren } from "preact"
import type { ComponentResource } from "../resources/Sources.ts"
import { harmless } from "./Harmless.ts"

/** The most characters of the code that are shown. */
const maxCode = 200_000

/** The name, version, key and code of a component, with what a page says of it in between. */
export const ComponentFacts = ({ children, component, facts, isCodeOpen }: {
  readonly component: ComponentResource
  /** Further pairs of `dt` and `dd`. */
  readonly facts: ComponentChildren
  readonly isCodeOpen: boolean
  readonly children: ComponentChildren
}) => {
  const { code, description, key, name, version } = component
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(name)}</bdi>
        </h1>
        <span class="note">version {harmless(version)}</span>
      </div>
      {description === null ? null : (
        <p>
          <bdi>{harmless(description)}</bdi>
        </p>
      )}
      <dl class="facts">
        <dt>Key</dt>
        <dd>{key === null ? <span class="note">none</span> : <code>{harmless(key)}</code>}</dd>
        {facts}
      </dl>
      {children}
      <details open={isCodeOpen}>
        <summary>Its code</summary>
        <pre class="raw" tabIndex={0}><bdi>{harmless(code.slice(0, maxCode))}</bdi></pre>
      </details>
    </>
  )
}
