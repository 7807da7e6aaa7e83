import { Schema, SchemaTransformation } from "effect"

/** An `int8` column, which arrives as a bigint, holding a number within JavaScript's safe integers. */
export const Int8 = Schema.BigInt.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: BigInt }))
)
