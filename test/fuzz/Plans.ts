import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as EndpointPlans from "./EndpointPlans.ts"
import * as HostilePlans from "./HostilePlans.ts"
import * as NearlyValidPlans from "./NearlyValidPlans.ts"
import type { Message, Plan } from "./Plan.ts"
import * as RawPlans from "./RawPlans.ts"
import * as ValidPlans from "./ValidPlans.ts"

const messageOf = (plan: Plan): ReadonlyArray<Message> => plan.content.type === "messages" ? plan.content.messages : []

/** Everything that is sent, in the proportions it is sent in. */
export const of = (operations: ReadonlyArray<Operation>): FastCheck.Arbitrary<Plan> => {
  const valid = ValidPlans.plans(operations)
  const messages = FastCheck.oneof(valid, EndpointPlans.plans).map((plan) => messageOf(plan)[0]!)
  return FastCheck.oneof(
    { weight: 40, arbitrary: valid },
    { weight: 22, arbitrary: NearlyValidPlans.plans(operations) },
    { weight: 18, arbitrary: HostilePlans.plans(operations) },
    { weight: 12, arbitrary: EndpointPlans.plans },
    { weight: 8, arbitrary: RawPlans.plans(messages) }
  )
}
