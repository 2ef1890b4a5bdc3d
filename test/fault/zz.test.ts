import { test } from 'vitest'
import { openDatabase } from '@earshot/db'
import { openRemoteDatabase } from './remote-database.ts'
import { setTimeout as delay } from 'node:timers/promises'
for (const kind of ['run', 'tx', 'idle'] as const) test(kind, { timeout: 90_000 }, async () => {
  await using remote = await openRemoteDatabase()
  for (const rounds of [1, 3]) {
  const db = openDatabase({ address: { url: remote.environment.DATABASE_URL }, poolSize: 8, applicationName: 'x', statementTimeoutMs: 10_000 })
  await db.run('select 1', [])
  for (let r = 0; r < rounds; r++) {
    let on = true
    const errors: string[] = []
    const loops = Array.from({ length: kind === 'idle' ? 0 : 20 }, async () => { while (on) { try { 
      if (kind === 'run') await db.run('select pg_sleep(0.01)', [])
      else await db.transaction(async (tx) => { await tx.run('select pg_sleep(0.01)', []) }) } catch (e) { errors.push(String((e as Error).cause)); await delay(20) } } })
    await delay(300)
    await remote.proxy.refuse(); await delay(500); await remote.proxy.restore(); await delay(800)
    on = false
    const t1 = performance.now(); await Promise.all(loops)
    const t2 = performance.now()
    await Promise.all(Array.from({ length: 8 }, () => db.run('select pg_sleep(0.3)', [])))
    console.log(kind, rounds, 'settle', Math.round(t2 - t1), '8 at once', Math.round(performance.now() - t2), [...new Set(errors.map((e) => e.slice(0, 40)))].join(' | '))
  }
  const t = performance.now(); await db.close(); console.log(kind, rounds, 'close', Math.round(performance.now() - t))
  }
})
