export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grants there are, each with the parameters that it cannot do without. */
export const grantParameters: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier'],
  refresh_token: ['refresh_token'],
  [DEVICE_CODE]: ['device_code'],
}
