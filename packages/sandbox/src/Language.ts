/** The language of a step. Each has processes of its own. */
export type Language = "javascript" | "python"
