import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { OtpInput, PasswordInput } from './schemas/primitives.ts'

const Enrollment = z
  .object({
    secret: z
      .string()
      .meta({ description: 'The secret in base32, to type into an authenticator app.', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
    otpauth_url: z.string().meta({
      description: 'The secret as an otpauth address, to show as a QR code.',
      example: 'otpauth://totp/Earshot:ada%40example.com?issuer=Earshot&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
  })
  .meta({ id: 'SecondFactorEnrollment', description: 'The secret of an authenticator app. It is shown only once.' })

const RecoveryCodes = z
  .object({
    recovery_codes: z
      .array(z.string())
      .meta({ description: 'Ten codes. Each works once instead of a code of the app.', example: ['k7m2p-9xq4t'] }),
  })
  .meta({ id: 'MfaRecoveryCodes', description: 'Codes for signing in without the app. They are shown only once.' })

/** Two-factor authentication with codes of an authenticator app (TOTP, RFC 6238). */
export const mfa = {
  enroll: operation({
    method: 'POST',
    path: `${ME}/mfa/enroll/`,
    reauthenticates: true,
    summary: 'Enroll an authenticator app',
    description:
      'Requires your password; attempts are limited like those to sign in. Nothing changes until you confirm the secret with a code; enrolling again replaces the secret. Returns 409 `state_conflict` if two-factor authentication is already on; disable it first.',
    scope: 'write:profile',
    errors: ['invalid_credentials', 'state_conflict'],
    input: z.strictObject({ password: PasswordInput }),
    output: Enrollment,
  }),
  confirm: operation({
    method: 'POST',
    path: `${ME}/mfa/confirm/`,
    reauthenticates: true,
    summary: 'Turn on two-factor authentication',
    description:
      'Takes a code of the enrolled app. Signing in by password then requires a code. Password logins (JWT) end, and new ones are refused. Wrong codes are limited as for signing in. Returns 409 `state_conflict` if no app is enrolled, or two-factor authentication is already on.',
    scope: 'write:profile',
    errors: ['invalid_credentials', 'state_conflict'],
    input: z.strictObject({ otp: OtpInput.meta({ description: 'Code of the app.', example: '123456' }) }),
    output: RecoveryCodes,
  }),
  disable: operation({
    method: 'POST',
    path: `${ME}/mfa/disable/`,
    reauthenticates: true,
    status: 204,
    summary: 'Turn off two-factor authentication',
    description: 'Requires your password and a code; wrong ones are limited as for signing in.',
    scope: 'write:profile',
    errors: ['invalid_credentials', 'state_conflict'],
    input: z.strictObject({ password: PasswordInput, otp: OtpInput }),
    output: NoContent,
  }),
}
