import { createLog } from '@earshot/server'
import { expect, test } from 'vitest'

const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTlhYTNjMSJ9.c2lnbmF0dXJl'
const UNSIGNED = JWT.replace(/[^.]+$/, '')

test.each([`svc_${'a'.repeat(46)}`, `sva_${'b'.repeat(46)}`, `svr_${'c'.repeat(46)}`, JWT, UNSIGNED, 'ada@example.com'])(
  'a logged error does not contain what its message quotes: %s',
  (secret) => {
    const lines: string[] = []
    const log = createLog({ level: 'info', sink: { write: (line) => void lines.push(line) } })
    log.error({ err: new Error(`Key (value)=(${secret}) and "${secret}" exist.`) }, 'failed')
    expect(lines).toEqual([expect.stringMatching(/"message":"Key [^:]*…[^:]* and [^:]*…[^:]* exist\."/)])
    expect(lines.join('')).not.toContain(secret)
  },
)
