import * as Storable from "@headwater/domain/Storable"
import { filePathExpected, isFilePath } from "@headwater/domain/StoredFile"
import { Schema } from "effect"

export const filePathText = "Names with `/` between them."

/** The path of a file of the account. */
export const FilePath = Schema.String.pipe(Schema.check(Schema.makeFilter(isFilePath, {
  expected: filePathExpected,
  toJsonSchema: () => ({ minLength: 1, maxLength: Storable.maxKeyBytes })
}))).annotate({
  description: "The file's path: names with `/` between them.",
  examples: ["reports/2026/october.pdf"]
})
