import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { openFfmpegTranscoder } from './ffmpeg-transcoder.ts'
import { type FindOptions, findFirst } from './find-first.ts'
import { openLibavTranscoder } from './libav-transcoder.ts'
import { childEnvironment, type FinalReport, runMediaChild } from './media-child.ts'
import { requireReport } from './outcome.ts'
import type { Sandbox } from './sandbox.ts'
import type { Transcoder } from './transcoder.ts'

/**
 * Finds what this machine can transcode with: the libraries from npm, or else the `ffmpeg` of the system. Says why there is
 * neither, for operators. It loads nothing into this process.
 */
export async function findTranscoder(options: FindOptions = {}): Promise<{ transcoder: Transcoder } | { missing: string }> {
  const first = await findFirst({ libav: findLibav, ffmpeg: findFfmpeg }, options)
  return 'found' in first ? { transcoder: first.found } : first
}

async function findLibav(sandbox: Sandbox): Promise<Transcoder> {
  const { name } = await ask(sandbox, 'describe')
  return openLibavTranscoder(name, sandbox)
}

/** The probe is done by the library for containers, so that must be there for both. */
async function findFfmpeg(sandbox: Sandbox): Promise<Transcoder> {
  await ask(sandbox, 'describe-containers')
  const print = async (what: string) => (await promisify(execFile)('ffmpeg', ['-hide_banner', what], { env: childEnvironment() })).stdout
  const version = /^ffmpeg version (\d+(?:\.\d+)*)/.exec(await print('-version'))?.[1] ?? 'of an unknown version'
  const filters = await print('-filters')
  const hasToneMapping = / zscale +V->V/.test(filters) && / tonemap +V->V/.test(filters)
  return openFfmpegTranscoder({ name: `ffmpeg ${version}`, hasToneMapping }, sandbox)
}

/** Asks a child for the name of what it works with: this fails where that is not there. */
export async function ask(
  sandbox: Sandbox,
  task: 'describe' | 'describe-containers',
): Promise<Extract<FinalReport, { event: 'described' }>> {
  const { signal } = new AbortController()
  return requireReport(await runMediaChild(sandbox, { task, inputPath: '/dev/null', folder: tmpdir(), maxSeconds: 1, signal }), 'described')
}
