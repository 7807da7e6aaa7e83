/**
 * A component may serve a page with any script, from the origin that the console has its session with. The browser
 * gives such a page an origin of its own.
 */
const policy =
  "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts"

const policyHeader = "content-security-policy"

type Headers = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A component's headers with the policy, beside its own if it has one: a browser keeps to both. */
export const around = (headers: Headers): Headers => {
  const own = Object.entries(headers)
  const policies = own.filter(([name]) => name.toLowerCase() === policyHeader).flatMap(([, value]) => value)
  return {
    ...Object.fromEntries(own.filter(([name]) => name.toLowerCase() !== policyHeader)),
    [policyHeader]: [...policies, policy].join(", ")
  }
}
