import { Schema } from "effect"

export const WebhookSecret = Schema.Struct({
  secret: Schema.String.annotate({
    description: "whsec_ and base64 of 32 bytes: the signing secret of the Standard Webhooks specification."
  })
}).annotate({
  identifier: "WebhookSecret",
  examples: [{ secret: "whsec_Q29weSBtZSBub3QsIEkgYW0gYW4gZXhhbXBsZSEhISE=" }]
})
