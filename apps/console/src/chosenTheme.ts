// Runs before the page is shown, so that it never shows in the wrong colours.
{
  const chosen = localStorage.getItem("headwater-theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
}
