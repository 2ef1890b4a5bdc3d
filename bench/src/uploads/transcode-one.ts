import { findTranscoder } from '@earshot/drivers'

/** Transcodes a file into a folder, in a process whose time is measured. */
const [inputPath = '', folder = ''] = process.argv.slice(2)
const found = await findTranscoder()
if ('missing' in found) throw new Error(found.missing)
await found.transcoder.transcode({ inputPath, folder, maxSeconds: 900 })
await found.transcoder.close()
