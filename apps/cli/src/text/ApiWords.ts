/** Answers of the server to users of its API, in the words of the command line. */

/** The commands that list what these paths list. */
const lists: ReadonlyArray<readonly [path: RegExp, command: string]> = [
  [/^\/users\/me\/auto_subscriptions$/, "subscriptions list"],
  [/^\/users\/me\/keys$/, "key list"],
  [/^\/users\/me\/(sources|workflows|webhooks|subscriptions|components)$/, "$1 list"],
  [/^\/registry\/components$/, "components list"],
  [/^\/workflows\/[^/]+\/runs$/, "runs list"],
  [/^\/(consumers|projects|deliveries)$/, "$1 list"],
  [/^\/accounts$/, "credentials list"],
  [/^\/bulk_actions$/, "bulk list"],
  [/^\/data_stores$/, "stores list"],
  [/^\/events$/, "events"],
  [/^\/imports$/, "import status"],
  [/^\/couriers$/, "import courier status"]
]

const commandFor = (path: string): string | undefined => {
  for (const [form, command] of lists) {
    if (form.test(path)) return `\`headwater ${path.replace(form, command)}\``
  }
  return undefined
}

/** The text with commands in place of the requests that it points to. */
export const inCommands = (text: string): string =>
  text.replace(/(?:GET )?\/v1(\/[\w{}/]+)/g, (request, path: string) => commandFor(path) ?? request)
