import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDataDir } from '../support/data-dir.ts'
import { hang, refuse, startFakeS3 } from '../support/fake-s3.ts'
import { runAdmin } from '../support/run-admin.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const GENEROUS_MS = 90_000
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'hush' }

test('a process without its directory of files is not ready, and doctor says why', { timeout: GENEROUS_MS }, async () => {
  await using data = makeDataDir()
  const environment = { EARSHOT_DATA_DIR: data.path, EARSHOT_LOG_LEVEL: 'warn' }
  await using service = await startService(environment)
  const blobs = join(data.path, 'blobs')
  expect(statSync(blobs).mode & 0o777).toBe(0o700)
  expect(await service.send('GET', '/readyz')).toMatchObject({ status: 200 })
  expect(await runAdmin(environment, 'doctor')).toMatch(new RegExp(`^storage +${blobs} can be written, read and deleted from$`, 'm'))

  rmSync(blobs, { recursive: true })
  await until('it is not ready', async () => (await service.send('GET', '/readyz')).status === 503)
  expect((await service.send('GET', '/readyz')).body).toMatchObject({ code: 'dependency_unavailable', detail: 'Not ready: the storage.' })
  expect(await service.send('GET', '/healthz')).toMatchObject({ status: 200 })
  await until('the log says why', () => service.output().includes(`The directory ${blobs} cannot be used (ENOENT).`))

  mkdirSync(join(blobs, '.tmp'), { recursive: true })
  await until('it is ready again', async () => (await service.send('GET', '/readyz')).status === 200)
})

test('a process starts while S3 is away, answers probes in time, and doctor names the cause', { timeout: GENEROUS_MS }, async () => {
  await using s3 = await startFakeS3()
  await using data = makeDataDir()
  const storage = `s3://feedback/earshot?endpoint=${s3.endpoint}`
  const environment = { EARSHOT_DATA_DIR: data.path, EARSHOT_STORAGE_URL: storage, EARSHOT_LOG_LEVEL: 'warn', ...CREDENTIALS }
  s3.breakRequests(/^HEAD/, hang, 1)
  await using service = await startService(environment)
  const hanging = await service.send('GET', '/readyz')
  expect(hanging).toMatchObject({ status: 503, body: { detail: 'Not ready: the storage.' } })
  expect(hanging.ms).toBeLessThan(4_000)
  await until('S3 is back', async () => (await service.send('GET', '/readyz')).status === 200)
  expect(await runAdmin(environment, 'doctor')).toMatch(/^storage +s3:\/\/feedback\/earshot\/ can be written, read and deleted from$/m)

  s3.breakRequests(/^PUT/, refuse(403, 'AccessDenied'))
  expect(await runAdmin(environment, 'doctor')).toMatch(/^storage +S3 refused PutObject \(403 AccessDenied\)\.$/m)
  expect(service.output()).not.toMatch(/hush|AKIAEXAMPLE/)
})

test('a storage that cannot be opened ends the start with one line', { timeout: GENEROUS_MS }, async () => {
  await using data = makeDataDir()
  const environment = { EARSHOT_DATA_DIR: data.path, EARSHOT_STORAGE_URL: 'file:/etc/passwd/blobs' }
  await expect(startService(environment)).rejects.toThrow(
    /The directory \/etc\/passwd\/blobs cannot be used \(ENOTDIR\)\. .*EARSHOT_STORAGE_URL/,
  )
})
