import { type Kind, prefixes } from "@headwater/domain/Id"
import { Schema } from "effect"

/** A resource's own id, as answers show it. */
export const ResourceId = (kind: Kind) =>
  Schema.String.pipe(Schema.check(Schema.isPattern(new RegExp(`^${prefixes[kind]}_[0-9A-Za-z]+$`, "u")))).annotate({
    description: `Begins with ${prefixes[kind]}_.`
  })
