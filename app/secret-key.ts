import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

const KEY_BYTES = 32

/** The service's secret key: given, or made once into the data directory, readable by its owner alone. */
export async function readSecretKey(dataDir: string): Promise<Uint8Array> {
  const file = join(dataDir, 'secret-key')
  const text = (await readIfThere(file)) ?? (await makeOnce(file))
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new ConfigError(`The file ${file} must hold ${KEY_BYTES} bytes in base64; put the right key back.`)
  return key
}

/** Whole or not at all: whoever comes at the same time, or after a power cut, finds all of it. */
async function makeOnce(file: string): Promise<string> {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return readFile(file, 'utf8')
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
