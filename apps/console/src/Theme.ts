import { signal } from "@preact/signals"

/** `system` follows the reader's setting for all pages. */
export type Theme = "system" | "light" | "dark"

const key = "headwater-theme"

const isTheme = (text: string | null): text is Theme => text === "system" || text === "light" || text === "dark"

const kept = localStorage.getItem(key)

export const theme = signal<Theme>(isTheme(kept) ? kept : "system")

export const choose = (chosen: Theme): void => {
  theme.value = chosen
  if (chosen === "system") {
    localStorage.removeItem(key)
    delete document.documentElement.dataset["theme"]
  } else {
    localStorage.setItem(key, chosen)
    document.documentElement.dataset["theme"] = chosen
  }
}
