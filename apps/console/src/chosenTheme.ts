// Runs before the page is shown, so that the page never has the wrong colours.
{
  const chosen = localStorage.getItem("headwater-theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
}
