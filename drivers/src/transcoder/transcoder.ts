import type { FileFault } from './child/report.ts'

const TRANSCODER_FAULTS: readonly string[] = ['failed', 'out_of_memory', 'closed'] satisfies TranscoderFault[]

export interface TranscodeRequest {
  /** The uploaded file, on the local disk. */
  inputPath: string
  /** An empty folder that the outputs are written to. After an error it can hold parts of them: remove it. */
  folder: string
  /** The longest clip that the plan allows. */
  maxSeconds: number
  /** Called with 0 to 1, at most every two seconds. */
  onProgress?: (share: number) => void
  /** Ends the work at once. The promise is rejected with the reason of the signal. */
  signal?: AbortSignal
}

/** An MP4 of H.264 and AAC that starts to play before it is loaded, and a JPEG that stands for it. Neither has metadata. */
export interface TranscodedClip {
  durationMs: number
  width: number
  height: number
  clipPath: string
  clipBytes: number
  posterPath: string
  posterBytes: number
}

/** Turns files of cameras and recorders into clips for the web. One transcode uses up to four cores: run one at a time. */
export interface Transcoder {
  /** For operators: `libav 8.1 (node-av)` or `ffmpeg 5.1`. */
  name: string
  /** Throws `TranscodeError`. */
  transcode: (request: TranscodeRequest) => Promise<TranscodedClip>
  /** Ends the transcodes that run; they fail with the code `closed`. */
  close: () => Promise<void>
}

/** What makes a transcode fail although the file may be fine. */
export type TranscoderFault = 'failed' | 'out_of_memory' | 'closed'

/**
 * A transcode failed. When it `isFinal`, the file is at fault and another attempt ends the same way. Otherwise the disk, the
 * memory or the encoder was: try again. The message is for operators; it holds no text from the file.
 */
export class TranscodeError extends Error {
  override name = 'TranscodeError'
  readonly code: FileFault | 'timeout' | TranscoderFault
  readonly isFinal: boolean

  constructor(code: TranscodeError['code'], message: string) {
    super(message)
    this.code = code
    this.isFinal = !TRANSCODER_FAULTS.includes(code)
  }
}
