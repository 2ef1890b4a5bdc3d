import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

const KEY_BYTES = 32

/** Reads the secret key from the data directory, and creates it there on the first start, readable by its owner only. */
export async function readSecretKey(dataDir: string): Promise<Uint8Array> {
  const file = join(dataDir, 'secret-key')
  const text = (await readIfPresent(file)) ?? (await createOnce(file))
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new ConfigError(`The file ${file} must hold ${KEY_BYTES} bytes in base64; restore the correct key.`)
  return key
}

/** Writes the file atomically: concurrent starts and a start after a power cut find a whole key. */
async function createOnce(file: string): Promise<string> {
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

async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
