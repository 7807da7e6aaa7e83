import { sessionCookie } from "@headwater/api/Authorization"

/**
 * What a component serves may be a page with any script, from the origin that the console has its session with. The browser
 * gives such a page an origin of its own.
 */
const policy =
  "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts"

const policyHeader = "content-security-policy"

/** A component's headers with the policy, beside its own if it has one: a browser keeps to both. */
export const around = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const own = Object.entries(headers)
  const policies = own.filter(([name]) => name.toLowerCase() === policyHeader).map(([, value]) => value)
  return {
    ...Object.fromEntries(own.filter(([name]) => name.toLowerCase() !== policyHeader)),
    [policyHeader]: [...policies, policy].join(", ")
  }
}

/** Whether a header would put a session of the component's choice in the place of the reader's. */
export const touchesSession = (name: string, value: string): boolean =>
  name.toLowerCase() === "set-cookie" && value.includes(sessionCookie.key)
