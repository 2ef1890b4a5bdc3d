import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { damage } from './damage.ts'
import { makeMedia } from './media-maker.ts'
import { GOOD_FILES, REFUSED_MEDIA } from './shelf.ts'

/** Makes the files of the shelf in a folder, in a process of its own: codecs stay out of the tests. */
const [folder = '', ...names] = process.argv.slice(2)

for (const file of [...GOOD_FILES, ...REFUSED_MEDIA]) {
  if (names.length > 0 && !names.includes(file.name)) continue
  const path = await makeMedia(join(folder, file.name), file.recipe)
  if (file.damage !== undefined) await writeFile(path, damage(await readFile(path), file.damage))
}
process.exit(0)
