import { openInput } from './input.ts'
import { probe } from './probe.ts'
import { type ChildTask, Refusal, report } from './report.ts'

// The argument is written by the parent (`media-child.ts`).
const { task, folder, maxSeconds, image }: ChildTask = JSON.parse(process.argv[2] ?? '')

try {
  await run()
} catch (error) {
  if (error instanceof Refusal) report({ event: 'refused', code: error.code, message: error.message })
  else report({ event: 'failed', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
}
// Threads of codecs, or a read that never ends, must not keep the process.
process.exit(0)

async function run(): Promise<void> {
  if (task === 'describe') return report({ event: 'described', name: await describeLibraries() })
  if (task === 'describe-containers') return report({ event: 'described', name: 'mediabunny' })
  if (task === 'image' && image !== undefined) {
    const { convertImage } = await import('./image.ts')
    return report({ event: 'converted', image: convertImage(folder, image) })
  }
  const input = openInput()
  const media = await probe(input, maxSeconds)
  report({ event: 'probed', media: media.facts })
  if (task === 'probe') return
  const { produceClip } = await import('./produce-clip.ts')
  report({ event: 'done', clip: await produceClip(media, { folder, maxSeconds }) })
}

/** Loads both libraries, and names the version of FFmpeg: this fails where the binary does not fit the machine. */
async function describeLibraries(): Promise<string> {
  const { getFFmpegInfo } = await import('node-av/lib')
  return `libav ${getFFmpegInfo().version} (node-av)`
}
