/**
 * What becomes of a workflow's run after its first step: it takes the steps of its branches (`kept`, of a `keeper`); or its second step follows at once, or waits; or asks to be run once
 * more; or it fails, once or whenever it is run; or the run is suspended, and nobody resumes it.
 */
export type Fate = "kept" | "goes" | "waits" | "returns" | "stumbles" | "falls" | "lapses"

/** The fate of a run, by the JSON text of what it was begun with. Workflows have this function in their code. */
export const fateOf = (event: string): Exclude<Fate, "kept"> => {
  let sum = 0
  for (const character of event) sum = (31 * sum + character.charCodeAt(0)) % 65_521
  return (["goes", "goes", "waits", "waits", "returns", "returns", "stumbles", "falls", "lapses"] as const)[sum % 9]!
}
