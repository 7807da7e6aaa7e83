/** A choice between a few views of one thing. */
export const Tabs = <Name extends string>({ choices, chosen, label, onChoose }: {
  readonly label: string
  readonly choices: ReadonlyArray<readonly [Name, string]>
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}) => (
  <div class="tabs" role="group" aria-label={label}>
    {choices.map(([name, text]) => (
      <button
        key={name}
        type="button"
        aria-pressed={name === chosen}
        onClick={() => onChoose(name)}
      >
        {text}
      </button>
    ))}
  </div>
)
