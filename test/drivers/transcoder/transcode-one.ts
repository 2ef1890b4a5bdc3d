import { findTranscoder } from '../../../drivers/src/transcoder/find-transcoder.ts'

/** Transcodes a file in a process that a test kills. */
const [inputPath = '', folder = ''] = process.argv.slice(2)
const found = await findTranscoder()
if ('transcoder' in found) await found.transcoder.transcode({ inputPath, folder, maxSeconds: 60 })
