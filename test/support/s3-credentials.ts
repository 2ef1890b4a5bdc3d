import { afterAll, beforeAll } from 'vitest'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }

/** Gives the tests of a file credentials for S3 in the environment, and takes them back. */
export function useS3Credentials(): void {
  const before = Object.keys(CREDENTIALS).map((name) => [name, process.env[name]] as const)
  beforeAll(() => void Object.assign(process.env, CREDENTIALS))
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}
