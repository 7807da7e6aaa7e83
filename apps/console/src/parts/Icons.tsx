/** The mark of Headwater. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
    <path d="M4 9c4-3.5 8-3.5 12 0s8 3.5 12 0M4 17c4-3.5 8-3.5 12 0s8 3.5 12 0M4 25c4-3.5 8-3.5 12 0s8 3.5 12 0" />
  </svg>
)

const strokes = {
  width: 16,
  height: 16,
  viewBox: "0 0 16 16",
  fill: "none",
  stroke: "currentColor",
  "stroke-width": 1.5,
  "stroke-linecap": "round" as const,
  "stroke-linejoin": "round" as const,
  "aria-hidden": "true" as const
}

export const Menu = () => (
  <svg {...strokes}>
    <path d="M2 4h12M2 8h12M2 12h12" />
  </svg>
)

export const Close = () => (
  <svg {...strokes}>
    <path d="m4 4 8 8M12 4l-8 8" />
  </svg>
)
