/** The colour of a state: it says whether the state is good, and the word beside it says so too. */
export type Tone = "good" | "bad" | "waiting" | "plain" | "accent"

export const Badge = ({ text, title, tone }: {
  readonly tone: Tone
  readonly text: string
  readonly title?: string
}) => <span class={`badge is-${tone}`} title={title}>{text}</span>

const tones: Readonly<Record<string, Tone>> = {
  delivered: "good",
  success: "good",
  done: "good",
  active: "good",
  closed: "good",
  connected: "good",
  pending: "waiting",
  waiting: "waiting",
  running: "accent",
  paused: "plain",
  unconnected: "waiting",
  half_open: "waiting",
  exhausted: "bad",
  failed: "bad",
  failing: "bad",
  disabled: "bad",
  throttled: "waiting",
  error: "bad",
  open: "bad"
}

/** The badge of a state, with the API's own word for it. */
export const StateBadge = ({ state, title }: { readonly state: string; readonly title?: string }) => (
  <Badge tone={tones[state] ?? "plain"} text={state.replaceAll("_", " ")} {...(title === undefined ? {} : { title })} />
)
