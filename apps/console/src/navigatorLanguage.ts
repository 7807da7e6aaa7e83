// A Chromium that was started with `LANG=C` calls its language `en-US@posix`. Intl refuses that, and uPlot asks Intl
// while it is loaded, so this module must load first.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, "language", { value: "en" })
}
