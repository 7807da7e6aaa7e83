import type { CodeFault } from "../../CodeFault.ts"

const advice: Readonly<Record<CodeFault["reason"], string>> = {
  syntax: "Correct the syntax here.",
  import: "Import files of the same origin, modules of Node, or npm packages by their names.",
  package: "Correct the name, the version or the path of the package, or import another one.",
  label: "Give it a shorter name, of ordinary characters.",
  load: "Move what can fail from the top level of the module into run or a hook.",
  no_default_export:
    "Export the component as the module's default: export default { props: {…}, async run(event) {…} }",
  definition: "Change the definition as the message says.",
  timeout: "Move what takes long from the top level of the module into run or a hook.",
  memory: "Move what takes much memory from the top level of the module into run, or load less.",
  output: "Give the component fewer or smaller props, or a shorter description.",
  ended: "Remove what ends the process from the top level of the module."
}

/** Advice about code that is not a usable component. */
export const of = ({ reason }: Pick<CodeFault, "reason">): string => advice[reason]
