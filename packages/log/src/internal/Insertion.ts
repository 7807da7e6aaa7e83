import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** An array of what rows have in one column. */
type Column<A> = (rows: ReadonlyArray<A>) => PgTypes.Parameter

/**
 * An INSERT of any number of rows, by an array for each column. Its text never changes, so the database plans it once and
 * nobody composes it again. It ends with its FROM, behind which a condition may come.
 */
export class Insertion<A> {
  readonly table: string
  private readonly pieces: ReadonlyArray<string>
  private readonly columns: ReadonlyArray<Column<A>>
  private readonly alone: string

  constructor(table: string, pieces: ReadonlyArray<string>, columns: ReadonlyArray<Column<A>>) {
    this.table = table
    this.pieces = pieces
    this.columns = columns
    this.alone = this.textBehind(0)
  }

  /** Its SQL in a statement that has so many parameters before it. */
  textBehind(parameters: number): string {
    return this.pieces.reduce((text, piece, n) => `${text}$${parameters + n}${piece}`)
  }

  /** Inserts rows. */
  run(sql: SqlClient.SqlClient, rows: ReadonlyArray<A>): Effect.Effect<void, SqlError.SqlError> {
    return this.of(rows).run(sql)
  }

  /** The insertion of rows. */
  of(rows: ReadonlyArray<A>): FilledInsertion {
    const params = this.columns.map((column) => column(rows))
    return { insertion: this, params, run: (sql) => Effect.asVoid(sql.unsafe(this.alone, params)) }
  }
}

/** An insertion and its rows. */
export interface FilledInsertion {
  readonly insertion: Pick<Insertion<never>, "table" | "textBehind">
  readonly params: ReadonlyArray<PgTypes.Parameter>
  readonly run: (sql: SqlClient.SqlClient) => Effect.Effect<void, SqlError.SqlError>
}

/** Makes an insertion into a table of SQL in which a function from rows stands for each array. */
export const into =
  <A>(table: string) => (strings: TemplateStringsArray, ...columns: ReadonlyArray<Column<A>>): Insertion<A> =>
    new Insertion(table, strings, columns)
