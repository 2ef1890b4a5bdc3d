import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditActions } from '../../web/src/dashboard/audit-log/actions.ts'

const DATABASE = join(import.meta.dirname, '../../db/src')
/** An action where it is recorded: as a field, or as the last argument of what records it. */
const RECORDED = /(?:action: |\? |: |, )'([a-z_]+\.[a-z_]+)'/g

test('the filter of the audit log offers each action that is recorded', async () => {
  const recorded = new Set<string>()
  for await (const file of glob('**/*.ts', { cwd: DATABASE })) {
    const source = readFileSync(join(DATABASE, file), 'utf8')
    if (!/recordAudit|auditEntry/.test(source)) continue
    for (const [line] of source.matchAll(/.*\baction\b.*|.*changeTag\(.*/g))
      for (const [, action = ''] of line.matchAll(RECORDED)) recorded.add(action)
  }
  expect(recorded.size).toBeGreaterThan(45)
  expect([...recorded].filter((action) => !auditActions.includes(action))).toEqual([])
  // These are recorded in SQL, or their name is put together: the state of a submission, or the kind of a credential.
  const others = [
    'token.deleted',
    'submission.approved',
    'submission.rejected',
    'submission.pending',
    'session.deleted',
    'authorization.deleted',
  ]
  expect(auditActions.filter((action) => !recorded.has(action) && !others.includes(action))).toEqual([])
})
