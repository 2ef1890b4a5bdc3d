const VIDEO_BITS = 2_000_000
const AUDIO_BITS = 64_000
/** Safari gave empty pieces for shorter ones. */
const SLICE_MS = 2_000
/** What most devices play without a transcode comes first; Chromium on Linux has no AAC, and Firefox records WebM alone. */
const TYPES = ['video/mp4;codecs=avc1.42E01E,mp4a.40.2', 'video/webm;codecs=vp8,opus', 'video/mp4', 'video/webm']

/** Why a camera cannot be used: the name of a text. */
export type CameraProblem = 'denied' | 'noCamera' | 'busy' | 'unsupported'

/** Whether this page can record at all: only secure ones may use a camera. */
export function canRecord(): boolean {
  return Boolean(navigator.mediaDevices?.getUserMedia) && typeof MediaRecorder === 'function' && recordedType() !== undefined
}

function recordedType(): string | undefined {
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type))
}

/** The devices that a visitor chose; absent ones are the browser's own choice. */
export interface Devices {
  camera?: string | undefined
  microphone?: string | undefined
}

/** Opens the camera and the microphone. Rejects with what the browser says; see `problemOf`. */
export async function openCamera({ camera, microphone }: Devices): Promise<MediaStream> {
  const size = { width: { ideal: 1_280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } }
  return navigator.mediaDevices.getUserMedia({
    video: { ...size, ...(camera === undefined ? { facingMode: 'user' } : { deviceId: { exact: camera } }) },
    audio: { echoCancellation: true, noiseSuppression: true, ...(microphone !== undefined && { deviceId: { exact: microphone } }) },
  })
}

/** Returns which words explain a failure of `openCamera`. */
export function problemOf(error: unknown): CameraProblem {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'noCamera'
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'unsupported'
}

export function closeCamera(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

/** A recording that runs. */
export interface Recording {
  contentType: string
  /** The bytes as they are recorded. */
  bytes: ReadableStream<Uint8Array>
  elapsedMs: () => number
  stop: () => void
  /** All of it, once it has ended, by whatever reason. */
  whole: Promise<{ blob: Blob; durationMs: number }>
}

/** Starts to record. `keep` gets each piece before it is passed on. */
export function startRecording(stream: MediaStream, keep: (piece: Blob) => Promise<void>): Recording {
  const recorder = new MediaRecorder(stream, {
    mimeType: recordedType() ?? '',
    videoBitsPerSecond: VIDEO_BITS,
    audioBitsPerSecond: AUDIO_BITS,
  })
  const contentType = recorder.mimeType.split(';', 1)[0] ?? ''
  const pieces: Blob[] = []
  const startMs = performance.now()
  let durationMs = 0
  let isWanted = true
  let last = Promise.resolve()
  const { promise: whole, resolve } = Promise.withResolvers<{ blob: Blob; durationMs: number }>()

  const listening = new AbortController()
  const { signal } = listening

  const stop = () => {
    if (recorder.state !== 'inactive') recorder.stop()
  }
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      recorder.ondataavailable = ({ data }) => {
        if (data.size === 0) return
        pieces.push(data)
        last = last.then(async () => {
          await keep(data)
          const read = new Uint8Array(await data.arrayBuffer())
          if (isWanted) controller.enqueue(read)
        })
        // One piece that cannot be passed on does not hold back the recording.
        last = last.catch(() => {})
      }
      recorder.onstop = () => {
        // The page would keep this recorder and its pieces for as long as it listens.
        listening.abort()
        // WebM says that it lasts for ever, so the time is counted here.
        durationMs = performance.now() - startMs
        void last.then(() => {
          if (isWanted) controller.close()
          resolve({ blob: new Blob(pieces, { type: contentType }), durationMs })
        })
      }
    },
    // The upload has failed. The recording goes on, and can be sent again.
    cancel: () => {
      isWanted = false
    },
  })
  // A camera that is unplugged, or taken by another program, ends the recording and not what was recorded.
  for (const track of stream.getTracks()) track.addEventListener('ended', stop, { signal })
  // Phones end the camera of a page that is hidden.
  document.addEventListener(
    'visibilitychange',
    () => {
      if (recorder.state === 'recording') recorder.requestData()
    },
    { signal },
  )
  recorder.onerror = stop
  recorder.start(SLICE_MS)
  return { contentType, bytes, whole, stop, elapsedMs: () => durationMs || performance.now() - startMs }
}
