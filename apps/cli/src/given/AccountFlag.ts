/** The flags that say how an account is to be, for its operator and for itself. */
import { emailForm, isEmail, isUsername, usernameForm } from "@headwater/domain/Account"
import { Option } from "effect"
import { Flag } from "effect/cli"

export const username = Flag.String("username").pipe(Flag.filter(isUsername, () => usernameForm))

export const email = Flag.String("email").pipe(Flag.filter(isEmail, () => emailForm))

const noLimit = "none"

export const limitText = (value: number | null): string => value === null ? noLimit : String(value)

/** A limit of what the account uses; null for none. */
export const limit = (name: string, unit: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("N|none"),
    Flag.withDescription(`${unit}; ${noLimit} for no limit`),
    Flag.filterMap(
      (text) => {
        if (text === noLimit) return Option.some(null)
        const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
        return Number.isSafeInteger(number) ? Option.some(number) : Option.none()
      },
      () => `a whole number or ${noLimit}`
    ),
    Flag.optional
  )
