import { nameOf, names } from "../resources/Directory.ts"
import { pageOf } from "../resources/ThingPage.ts"
import { harmless } from "./Harmless.ts"

/** The name that people know something by, with its id on hover. */
export const Name = ({ id }: { readonly id: string }) => (
  <bdi class={names.value.has(id) ? "name" : "name is-id"} title={id}>{harmless(nameOf(id))}</bdi>
)

/** The name of something, as a link to its page if it has one. */
export const LinkedName = ({ id }: { readonly id: string }) => {
  const page = pageOf(id)
  return page === undefined ? <Name id={id} /> : (
    <a href={page}>
      <Name id={id} />
    </a>
  )
}
