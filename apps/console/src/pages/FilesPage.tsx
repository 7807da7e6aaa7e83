import { useSignal } from "@preact/signals"
import { address, setQuery } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { count } from "../charts/Figures.ts"
import { Act } from "../parts/Act.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Empty } from "../parts/Empty.tsx"
import { FormDialog } from "../parts/FormDialog.tsx"
import { harmless } from "../parts/Harmless.ts"
import { tell } from "../parts/Notices.tsx"
import { Opens } from "../parts/Opens.tsx"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Shown } from "../parts/Shown.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import * as Files from "../resources/Files.ts"

const pollMs = 10_000

const columns: ReadonlyArray<RowColumn<Files.File>> = [
  {
    name: "Path",
    width: "minmax(9rem, 3fr)",
    cell: ({ path }) => (
      <code>
        <bdi>{harmless(path)}</bdi>
      </code>
    )
  },
  { name: "Bytes", width: "8rem", cell: ({ size }) => count(size) },
  {
    name: "Type",
    width: "minmax(7rem, 1fr)",
    cell: ({ content_type }) => <bdi>{harmless(content_type ?? "")}</bdi>,
    isWideOnly: true
  },
  { name: "Written", width: "8.5rem", cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />, isWideOnly: true }
]

const UploadDialog = ({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) => {
  const path = useSignal("")
  const chosen = useSignal<File | undefined>(undefined)
  return (
    <FormDialog
      title="Upload a file"
      note="Code reads it with $.files. It replaces any file at the same path."
      name="Upload"
      doing="Uploading …"
      failed="It was not uploaded."
      act={async () => {
        await Files.write(path.value, chosen.value!)
        tell("done", `${path.value} is uploaded.`)
        onDone()
        onClose()
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <label class="field">
            <span>File</span>
            <input
              type="file"
              required
              onChange={(event) => {
                chosen.value = event.currentTarget.files?.[0]
                if (path.value === "") path.value = chosen.value?.name ?? ""
              }}
            />
          </label>
          <TextField label="Path" text={path} placeholder="reports/7.pdf" />
        </>
      )}
    </FormDialog>
  )
}

const FileDialog = ({ onClose, onDone, path }: {
  readonly path: string
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const url = useLoading(path, (signal) => Files.openUrlOf({ path }, signal))
  return (
    <Dialog title={path} onClose={onClose}>
      <p class="note">Anyone with its URL can read it for half an hour, or until it is written again.</p>
      <Shown loading={url} what="its URL">
        {(text) => <Copy label="Copy the URL" what="URL" text={() => text} />}
      </Shown>
      <div class="dialog-acts">
        <Act
          needs="write"
          kind="danger"
          ask={`${path} cannot be restored.`}
          done={`${path} is deleted.`}
          act={async () => {
            await Files.drop({ path })
            onDone()
            onClose()
          }}
        >
          Delete
        </Act>
        <a class="button" href={Files.downloadOf({ path })} download>Download</a>
        <button type="button" class="quiet" onClick={onClose}>Close</button>
      </div>
    </Dialog>
  )
}

/** The files of the account, which code reads and writes as `$.files`. */
export default () => {
  const files = useLoading("files", Files.all, { everyMs: pollMs })
  const changed = () => void files.reload()
  const path = address.value.query.get("open")
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Files</h1>
        <span class="grow" />
        <Opens needs="write" what="new" kind="main" name="Upload a file …">
          {(close) => <UploadDialog onClose={close} onDone={changed} />}
        </Opens>
      </div>
      <SearchedRows
        loading={files}
        noun={["file", "files"]}
        label="Path"
        textsOf={({ path }) => [path]}
        columns={columns}
        onOpen={(file) => setQuery({ open: file.path }, "push")}
        empty={
          <Empty what="There are no files yet.">
            <p>
              Upload one, write it in code with <code>$.files</code>, or run <code>headwater files put</code>.
            </p>
          </Empty>
        }
      />
      {path === null
        ? null
        : <FileDialog key={path} path={path} onDone={changed} onClose={() => setQuery({ open: undefined })} />}
    </div>
  )
}
