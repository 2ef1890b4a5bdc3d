import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const UNSHARE = ['--user', '--map-root-user', '--net', '--mount']
const SCRIPT = fileURLToPath(new URL('namespace.sh', import.meta.url))
const PROCESS = fileURLToPath(new URL('namespace-process.ts', import.meta.url))
const BLOCKED = 'blocked_address'
const REACHED = '200 8.8.8.8'

// Of Linux, and not of every container there.
const hasNamespaces =
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'command -v ip && mount --bind /etc/hosts /etc/resolv.conf']).status === 0

describe.skipIf(!hasNamespaces)('with the system’s own resolver, in a network of the test’s own', () => {
  test('names are checked by the DNS at the attempt, and silent names do not delay others', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'earshot-namespace-'))
    const command = [SCRIPT, directory, process.execPath, '--disable-warning=ExperimentalWarning', PROCESS]
    const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
    const { stdout } = await promisify(execFile)('unshare', [...UNSHARE, 'sh', ...command], { env })
    await rm(directory, { recursive: true })
    const { outcomes, reached, connections, silentEndedBefore, questions } = JSON.parse(stdout)
    expect(outcomes).toEqual({
      'outside.example.com': REACHED,
      'inside.example.com': BLOCKED,
      'inside6.example.com': BLOCKED,
      'mapped.example.com': BLOCKED,
      'mixed.example.com': BLOCKED,
      localhost: BLOCKED,
      'localhost.': BLOCKED,
      'fake.localhost': BLOCKED,
      'nowhere.example.com': 'dns_failure',
      'a redirect inside': '301 8.8.8.8 redirect',
      'rebinding.example.com': Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? REACHED : BLOCKED)),
      'beside silent names': REACHED,
      'silent names': ['connect_timeout'],
    })
    // Whatever was connected to was the address outside: the receiver listens on all of them.
    expect(reached).toEqual(Array(8).fill('::ffff:8.8.8.8'))
    expect(connections).toBe(8)
    expect(silentEndedBefore).toBe(0)
    expect(questions.filter((name: string) => name.includes('localhost'))).toEqual([])
  })
})
