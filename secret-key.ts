import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const KEY_BYTES = 32

/** The service's secret key: given, or made once into the data directory, readable by its owner alone. */
export async function readSecretKey(dataDir: string): Promise<Uint8Array> {
  const file = join(dataDir, 'secret-key')
  try {
    await writeFile(file, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== KEY_BYTES) throw new Error(`The file ${file} must hold ${KEY_BYTES} bytes in base64; put the right key back.`)
  return key
}
