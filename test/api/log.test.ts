import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const LOG = new URL('../../server/src/log.ts', import.meta.url).href
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTlhYTNjMSJ9.c2lnbmF0dXJl'
const SECRETS = [
  `svc_${'a'.repeat(46)}`,
  `sva_${'b'.repeat(46)}`,
  `svr_${'c'.repeat(46)}`,
  JWT,
  JWT.replace(/[^.]+$/, ''),
  'ada@example.com',
]

test('a logged error holds no token, no JWT and no e-mail address, wherever its message quotes one', async () => {
  const script = `
    import { createLog } from '${LOG}'
    const log = createLog({ level: 'info' })
    for (const secret of ${JSON.stringify(SECRETS)}) log.error({ err: new Error(\`Key (value)=(\${secret}) and "\${secret}".\`) }, 'failed')
    log.flush()
  `
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    script,
  ])
  expect(stdout.trim().split('\n')).toHaveLength(SECRETS.length)
  expect(stdout).toContain('Key (value)=(eyJ…) and \\"eyJ…\\".')
  for (const secret of SECRETS) expect(stdout).not.toContain(secret)
})
