import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const arrayOf = (oid: number) => (values: ReadonlyArray<unknown>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))

/** Column arrays for `unnest`, by which one statement writes many rows. */
export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.text)
export const bigints: (values: ReadonlyArray<bigint | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.int8)
export const integers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.int4)
export const smallIntegers: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.int2)
export const booleans: (values: ReadonlyArray<boolean | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.bool)
export const bytes: (values: ReadonlyArray<Uint8Array | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.bytea)

/** Whole numbers held as JavaScript numbers in columns of type bigint. */
export const numbers = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  bigints(values.map((value) => value === null ? null : BigInt(value)))
