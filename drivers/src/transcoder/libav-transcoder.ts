import { runMediaChild } from './media-child.ts'
import { openTranscoder } from './open-transcoder.ts'
import { requireReport } from './outcome.ts'
import type { Sandbox } from './sandbox.ts'
import type { Transcoder } from './transcoder.ts'

/** Transcodes with `mediabunny` and `node-av`, each file in a confined process of its own. */
export function openLibavTranscoder(name: string, sandbox: Sandbox): Transcoder {
  return openTranscoder(name, async (conversion) => {
    const result = await runMediaChild(sandbox, { task: 'transcode', ...conversion })
    return requireReport(result, 'done').clip
  })
}
