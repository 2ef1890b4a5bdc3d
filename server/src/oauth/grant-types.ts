export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** The supported grants with their required parameters. */
export const grantParameters: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier'],
  refresh_token: ['refresh_token'],
  [DEVICE_CODE]: ['device_code'],
}
