import { counted } from "../charts/Figures.ts"
import type * as Trials from "../resources/Trials.ts"
import { CodeFaults } from "./CodeFaults.tsx"
import { harmless } from "./Harmless.ts"

/** The server's findings on code: its description, or its errors and their remedies. */
export const CheckedCode = ({ checked }: { readonly checked: Trials.CheckedCode }) => {
  if (!checked.valid || checked.errors.length > 0) return <CodeFaults errors={checked.errors} />
  const { configurable_props: props, hooks, key, kind, methods, steps, version } = checked
  const lists = [["steps", steps], ["hooks", hooks], ["methods", methods]] as const
  return (
    <>
      <p role="status">
        It can be deployed: a {kind}
        {key === null ? " without a key" : (
          <>
            {" "}with the key <code>{harmless(key)}</code>
          </>
        )}, version <code>{harmless(version ?? "")}</code>, with {counted(props.length, "prop")}.
      </p>
      {props.length === 0 ? null : (
        <div class="wide-table" tabIndex={0} role="group" aria-label="Props of the code">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Prop</th>
                <th scope="col">Type</th>
                <th scope="col">Notes</th>
              </tr>
            </thead>
            <tbody>
              {props.map((prop) => (
                <tr key={prop.name}>
                  <td>
                    <code>{harmless(prop.name)}</code>
                  </td>
                  <td>
                    <code>{harmless(prop.type)}</code>
                  </td>
                  <td>
                    {[
                      ...(prop["optional"] === true ? ["optional"] : []),
                      ...(prop["secret"] === true ? ["secret"] : []),
                      ...(prop["remoteOptions"] === true ? ["options come from the code"] : []),
                      ...(prop.default === undefined
                        ? []
                        : [`default ${harmless((JSON.stringify(prop.default) ?? "").slice(0, 200))}`])
                    ].join(", ")}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {lists.map(([name, found]) =>
        found.length === 0 ? null : <p key={name} class="note">Its {name}: {harmless(found.join(", "))}.</p>
      )}
    </>
  )
}
