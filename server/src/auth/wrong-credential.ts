import { ApiError } from '@earshot/contracts'

/** Returns the error for a wrong password or code of a person who is known. */
export function wrongCredential(field: 'password' | 'otp', code: string, detail: string): ApiError {
  return new ApiError('invalid_credentials', { errors: [{ field, code, detail }] })
}
