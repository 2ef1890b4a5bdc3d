import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { ME } from './paths.ts'
import { OtpInput, PasswordInput } from './schemas/primitives.ts'

const Enrollment = z
  .object({
    secret: z.string().meta({ description: 'The secret in base32, to be typed into an app.', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
    otpauth_url: z.string().meta({
      description: 'The same as an address, to be shown as a QR code.',
      example: 'otpauth://totp/Earshot:ada%40example.com?issuer=Earshot&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    }),
  })
  .meta({ id: 'SecondFactorEnrollment', description: 'The secret of an authenticator app. This is the only time it is shown.' })

const RecoveryCodes = z
  .object({
    recovery_codes: z
      .array(z.string())
      .meta({ description: 'Ten codes, each of which signs in once in place of the app.', example: ['k7m2p-9xq4t'] }),
  })
  .meta({ id: 'RecoveryCodes', description: 'For the day when the app is lost. This is the only time they are shown.' })

/** The second factor: codes of an authenticator app (TOTP, RFC 6238). */
export const mfa = {
  enroll: operation({
    method: 'POST',
    path: `${ME}/mfa/enroll/`,
    reauthenticates: true,
    summary: 'Begin to set up a second factor',
    description:
      'Asks for the password again; tries are limited like those to sign in. Nothing changes until a code confirms the secret; enrolling again before that replaces it. With a second factor in use it is 409 `state_conflict`: disable that first.',
    scope: 'write:profile',
    errors: ['invalid_credentials', 'state_conflict'],
    input: z.strictObject({ password: PasswordInput }),
    output: Enrollment,
  }),
  confirm: operation({
    method: 'POST',
    path: `${ME}/mfa/confirm/`,
    reauthenticates: true,
    summary: 'Turn the second factor on',
    description:
      'With a code of the app that has the secret. From now on whoever signs in by password is asked for one; log-ins by password for a pair of tokens (JWT) end, and no new one begins. 409 `state_conflict` when nothing was enrolled, or a second factor is in use.',
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
    summary: 'Turn the second factor off',
    description: 'Asks for the password and a code again: the password alone must not do away with what is asked for beside it.',
    scope: 'write:profile',
    errors: ['invalid_credentials', 'state_conflict'],
    input: z.strictObject({ password: PasswordInput, otp: OtpInput }),
    output: NoContent,
  }),
}
