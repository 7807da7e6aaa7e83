import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { hrefOf } from "../api/Address.ts"
import { may } from "../api/Session.ts"
import * as Directory from "../resources/Directory.ts"
import * as Projects from "../resources/Projects.ts"
import { FormDialog } from "./FormDialog.tsx"
import { Name } from "./Name.tsx"
import { NamedField } from "./NamedField.tsx"
import { TextField } from "./TextField.tsx"

const MoveDialog = ({ current, move, onClose }: {
  readonly current: string
  readonly move: (projectId: string | null) => Promise<unknown>
  readonly onClose: () => void
}) => {
  const chosen = useSignal(current)
  const isNew = useSignal(false)
  const name = useSignal("")
  return (
    <FormDialog
      title="Change the project"
      note="From the next run on, the project's environment variables override the account's."
      name="Change it"
      doing="Changing …"
      failed="It was not changed."
      act={async () => {
        if (isNew.value) {
          chosen.value = await Projects.create(name.value)
          // It is there now, also if the rest fails.
          isNew.value = false
        }
        await move(chosen.value === "" ? null : chosen.value)
        onClose()
      }}
      onClose={onClose}
    >
      {() => (
        <>
          {isNew.value
            ? <TextField label="Name" text={name} />
            : (
              <NamedField
                label="Project"
                all="none"
                kinds={["project"]}
                chosen={chosen.value}
                onChange={(id) => {
                  chosen.value = id
                }}
              />
            )}
          <label class="choice">
            <input
              type="checkbox"
              checked={isNew.value}
              onChange={(event) => {
                isNew.value = event.currentTarget.checked
              }}
            />
            <span>A new project</span>
          </label>
        </>
      )}
    </FormDialog>
  )
}

/** The project that a source or workflow belongs to, and a way to change it. */
export const ProgramProject = ({ move, project_id }: {
  readonly project_id?: string
  /** Puts it into a project, or into none. */
  readonly move: (projectId: string | null) => Promise<unknown>
}) => {
  const isAsked = useSignal(false)
  useEffect(() => {
    void Directory.refresh()
  }, [project_id])
  return (
    <>
      {project_id === undefined ?
        "none" :
        (
          <a href={hrefOf(["variables"], { of: project_id })} aria-label="Variables of the project">
            <Name id={project_id} />
          </a>
        )}
      {may("write")
        ? (
          <>
            {" "}
            <button
              type="button"
              class="quiet"
              aria-label="Change the project"
              onClick={() => {
                isAsked.value = true
              }}
            >
              Change …
            </button>
          </>
        )
        : null}
      {isAsked.value
        ? (
          <MoveDialog
            current={project_id ?? ""}
            move={move}
            onClose={() => {
              isAsked.value = false
            }}
          />
        )
        : null}
    </>
  )
}
