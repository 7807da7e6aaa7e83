/** Packages that no component can use, with what to do instead. */
export const refusals: Readonly<Record<string, string>> = {
  "@pipedream/browsers":
    "it starts a browser, which no sandbox can: have a browser do it that runs elsewhere, and ask that over HTTP"
}
