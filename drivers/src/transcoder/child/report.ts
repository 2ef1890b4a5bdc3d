import { writeSync } from 'node:fs'
import type { ConvertedImage, ImageTask } from './image-plan.ts'
import type { MediaFacts } from './media-facts.ts'

const REPORT_FD = 4
const PARENT = process.ppid
const PROGRESS_MS = 500

let nextProgressMs = 0

/** What is wrong with a file. No second attempt changes it. */
export type FileFault = 'unsupported_media' | 'no_video_track' | 'too_long' | 'corrupt'

/** What the parent asks for: one JSON text, the only argument of the child. */
export interface ChildTask {
  task: 'describe' | 'describe-containers' | 'probe' | 'transcode' | 'image'
  folder: string
  maxSeconds: number
  /** What to make of the image, for that task. */
  image?: ImageTask
}

/** A line that the child writes. */
export type ChildReport =
  | { event: 'described'; name: string }
  | { event: 'probed'; media: MediaFacts }
  | { event: 'progress'; share: number }
  | { event: 'done'; clip: { durationMs: number; width: number; height: number } }
  | { event: 'converted'; image: ConvertedImage }
  | { event: 'refused'; code: FileFault; message: string }
  | { event: 'failed'; message: string }

/** The file is at fault. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: FileFault

  constructor(code: FileFault, message: string) {
    super(message)
    this.code = code
  }
}

/** Reports how much is done, from 0 to 1: at most twice a second. */
export function reportProgress(share: number): void {
  if (performance.now() < nextProgressMs) return
  nextProgressMs = performance.now() + PROGRESS_MS
  report({ event: 'progress', share })
}

/** Writes a line for the parent. Ends the process when the parent is gone. */
export function report(line: ChildReport): void {
  requireParent()
  try {
    writeSync(REPORT_FD, `${JSON.stringify(line)}\n`)
  } catch {
    process.exit(1)
  }
}

/** Ends the process when its parent has ended: nobody would read the result. */
export function requireParent(): void {
  if (process.ppid !== PARENT) process.exit(1)
}
