import * as Schema from "effect/Schema"

/** A place in a module's text; lines and columns count from 1, columns in UTF-16 units. */
export const ModulePosition = Schema.Struct({
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int
})
export type ModulePosition = typeof ModulePosition.Type

/**
 * Of Node's modules, those of which the sandbox replaces members: imports by name would get what was there before.
 * Without their prefix.
 */
export const replacedBuiltins: ReadonlyArray<string> = ["dns", "dns/promises", "module", "os"]

/** A module's text under the name that it has in positions. */
export interface ModuleFile {
  readonly file: string
  readonly type: "js" | "ts" | "json" | "py"
  readonly text: string
}

/**
 * A module whose imports are known: the files behind its specifiers. Imports that are not among them are left as they
 * are.
 */
export interface LinkedFile extends ModuleFile {
  readonly links: ReadonlyArray<readonly [specifier: string, file: string]>
  /** Imports of others than these files, and the specifiers that they then have. */
  readonly outside?: ReadonlyArray<readonly [specifier: string, specifierThen: string]>
}

/** The server's tasks for the bundler's process, one at a time. */
export type BundlerTask =
  | { readonly _tag: "Scan"; readonly file: ModuleFile }
  | ({ readonly _tag: "Bundle" } & BundleTask)
  | { readonly _tag: "Place"; readonly code: string; readonly path: ReadonlyArray<string | number> }

export interface BundleTask {
  /** The file whose exports the module has. */
  readonly entry: string
  readonly files: ReadonlyArray<LinkedFile>
  /** Modules of our own that take the place of others: paths by package. They and what they import become part of it. */
  readonly standIns: Readonly<Record<string, string>>
  /** Installed packages, which become part of it. They don't get imports from elsewhere than the folder. */
  readonly packages?: {
    readonly folder: string
    /** By specifier of the component's, as the folder has them. */
    readonly names: Readonly<Record<string, string>>
  }
}

export const ModuleImport = Schema.Struct({ specifier: Schema.String, at: ModulePosition })
export type ModuleImport = typeof ModuleImport.Type

export const BundlerAnswer = Schema.TaggedUnion({
  Scanned: { imports: Schema.Array(ModuleImport), isCommon: Schema.Boolean },
  /**
   * `map` is a source map as JSON; `undeclared` are packages that a package imports without saying that it needs them.
   */
  Bundled: { code: Schema.String, map: Schema.String, undeclared: Schema.Array(Schema.String) },
  /** The position at which something of a definition is written, if that is found. */
  Placed: { at: Schema.optionalKey(Schema.Struct({ line: Schema.Int, column: Schema.Int })) },
  /** The text is no module, or something that it imports is not there. */
  Faulty: { message: Schema.String, at: ModulePosition }
})
export type BundlerAnswer = typeof BundlerAnswer.Type
