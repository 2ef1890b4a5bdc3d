/** @jsxImportSource preact */
import '../../styles/visitor-clip.css'
import '../../styles/visitor-recorder.css'
import { render } from 'preact'
import { fill } from '../page-data.ts'
import { type Answer, newKey, sendRequest } from '../request.ts'
import { ClipPanel } from './clip-panel.tsx'
import { isSameFile, type KeptRecording, openRecordingStore, type RecordingStore } from './kept-recording.ts'
import type { Recording } from './media.ts'
import { Recorder, type Take } from './recorder.tsx'
import { type RecorderTexts, sizeOf } from './texts.ts'
import { startUpload, type Upload, type UploadState } from './upload.ts'

/** The panel says why; sending again is of no use. */
const NOT_UPLOADED: Answer<never> = { failure: { status: 409, code: 'upload_failed', errors: [], retryAfterMs: null } }
const NOTED_MS = 1_000
const FILE_NAME_CHARACTERS = 200

export interface VideoOptions {
  key: string
  project: string
  maxSeconds: number
  texts: RecorderTexts
  /** Where the video of the form is shown. */
  panel: HTMLElement
  /** There is a video now, or none any more. */
  onClip: () => void
  onProblem: (text: string) => void
}

/** The video of a form. */
export interface FormVideo {
  open: () => void
  chooseFile: (file: File) => void
  hasClip: () => boolean
  /** Waits until the video has arrived, then sends it with what is said beside it. Sends once. */
  submit: (draft: object) => Promise<Answer<{ revoke_token: string | null }>>
  /** Forgets it, after it was sent. */
  clear: () => void
  /** Deletes it, here and what has arrived of it. */
  remove: () => void
}

interface Named {
  contentType: string
  fileName: string
}

interface Clip extends Named {
  /** Null if only the service has it. */
  blob: Blob | null
  durationMs: number | null
}

/** Opens the video part of the form. Offers the recording that this browser has kept, if there is one. */
export async function openVideo(options: VideoOptions): Promise<FormVideo> {
  const video = new OpenVideo(options)
  await video.offerKept()
  return video
}

class OpenVideo implements FormVideo {
  readonly #options: VideoOptions
  readonly #store: RecordingStore
  readonly #dialog = document.createElement('dialog')
  #clip: Clip | null = null
  #upload: Upload | null = null
  #found: KeptRecording | null = null
  /** Sent again after a lost response, it is still one submission. */
  #submitKey = newKey()
  #running: Recording | null = null
  #take: Take | null = null
  /** Until the upload of a file has begun. */
  #taking = Promise.resolve()

  constructor(options: VideoOptions) {
    this.#options = options
    this.#store = openRecordingStore(options.key)
    this.#dialog.className = 'recorder'
    this.#dialog.ariaLabel = options.texts.preview
    document.body.append(this.#dialog)
    this.#dialog.addEventListener('close', () => this.#closed())
    this.#dialog.addEventListener('cancel', (event) => {
      // Escape ends the recording, not the recorder.
      if (this.#running) event.preventDefault()
      this.#running?.stop()
    })
    addEventListener('beforeunload', (event) => {
      if (this.#upload && ['uploading', 'lost'].includes(this.#upload.state().phase)) event.preventDefault()
    })
  }

  hasClip(): boolean {
    return this.#clip !== null
  }

  open(): void {
    this.#take = null
    this.#dialog.showModal()
    this.#showRecorder()
  }

  chooseFile(file: File): void {
    const { texts, onProblem } = this.#options
    const isVideo = file.type.startsWith('video/')
    if (this.#found && !isVideo) {
      // A slip while choosing again costs nothing of what is kept.
      onProblem(texts.notVideo)
      return
    }
    const found = this.#found?.file && isSameFile(this.#found.file, file) ? this.#found : null
    // What arrived of the same file stays where it is.
    if (found) this.#found = null
    else this.remove()
    this.#dialog.close()
    if (!isVideo) {
      // After the panel has changed, which clears what was said before.
      queueMicrotask(() => onProblem(texts.notVideo))
      return
    }
    this.#taking = this.#takeFile(file, found?.reservation ?? null)
  }

  async #takeFile(file: File, from: KeptRecording['reservation']): Promise<void> {
    const clip = { blob: file, durationMs: null, contentType: file.type, fileName: fileNameOf(file.type, file) }
    this.#clip = clip
    this.#show()
    await this.#store.begin(file.type, file)
    // Removed meanwhile.
    if (this.#clip !== clip) return
    this.#begin(file, clip, from)
    this.#show()
    void this.#store.keepFile(file)
  }

  async submit(draft: object): Promise<Answer<{ revoke_token: string | null }>> {
    await this.#taking
    const upload = this.#upload
    const reservation = upload && (await upload.ended) ? upload.reservation() : null
    return reservation ? submitVideo(reservation, draft, this.#submitKey) : NOT_UPLOADED
  }

  clear(): void {
    this.#clip = this.#upload = this.#take = null
    void this.#store.clear()
  }

  async offerKept(): Promise<void> {
    const kept = await this.#store.read()
    if (kept && (kept.blob || kept.reservation)) this.#found = kept
    this.#show()
  }

  #show(): void {
    const { texts, project, panel, onClip } = this.#options
    const [clip, found, upload] = [this.#clip, this.#found, this.#upload]
    onClip()
    render(
      <ClipPanel
        {...{ texts, project }}
        clip={clip && { ...clip, maxBytes: upload?.reservation()?.upload.max_bytes ?? null }}
        upload={upload?.state() ?? null}
        found={found && { isWhole: found.blob !== null, fileName: found.file?.name ?? null }}
        onContinue={() => this.#continueFound()}
        chooseFile={(file) => this.chooseFile(file)}
        onRemove={() => this.remove()}
        onRetry={() => this.#retry()}
      />,
      panel,
    )
    if (this.#dialog.open) this.#showRecorder()
  }

  #showRecorder(): void {
    const { texts, maxSeconds } = this.#options
    const state = this.#upload?.state()
    render(
      <Recorder
        {...{ texts, maxSeconds, progress: state ? progressOf(state, texts) : '' }}
        keep={this.#store.keep}
        onStart={(recording) => void this.#record(recording)}
        onRetake={() => this.remove()}
        onUse={(take) => this.#use(take)}
        chooseFile={(file) => this.chooseFile(file)}
        onClose={() => {
          this.#take = null
          this.#dialog.close()
        }}
      />,
      this.#dialog,
    )
  }

  #begin(file: Blob | ReadableStream<Uint8Array>, { contentType, fileName }: Named, from: KeptRecording['reservation']): void {
    this.#submitKey = newKey()
    this.#upload = startUpload({
      ...{ key: this.#options.key, contentType, fileName, file, reservation: from },
      onReserved: (reservation) => this.#store.note({ reservation }),
      onChange: () => this.#show(),
    })
  }

  async #record(recording: Recording): Promise<void> {
    const { contentType, bytes } = recording
    this.#running = recording
    this.#found = null
    await this.#store.begin(contentType)
    // Removed meanwhile.
    if (this.#running !== recording) return
    this.#begin(bytes, { contentType, fileName: fileNameOf(contentType) }, null)
    const note = () => this.#store.note({ durationMs: Math.round(recording.elapsedMs()) })
    const watch = setInterval(note, NOTED_MS)
    const take = await recording.whole
    clearInterval(watch)
    if (this.#running !== recording) return
    this.#running = null
    this.#take = take
    note()
  }

  #use({ blob, durationMs }: Take): void {
    this.#clip = { blob, durationMs, contentType: blob.type, fileName: fileNameOf(blob.type) }
    this.#dialog.close()
    this.#show()
  }

  #continueFound(): void {
    if (!this.#found) return
    const { blob, contentType, durationMs, reservation, file } = this.#found
    this.#found = null
    this.#clip = { blob, contentType, durationMs: durationMs || null, fileName: fileNameOf(contentType, file) }
    // What arrived of it stays where it is. Without the rest, that part is the video.
    this.#begin(blob ?? new Blob([]), this.#clip, reservation)
    this.#show()
  }

  #retry(): void {
    const clip = this.#clip
    if (!clip?.blob) {
      this.remove()
      return
    }
    this.#upload?.discard()
    this.#begin(clip.blob, clip, null)
    this.#show()
  }

  remove(): void {
    this.#upload?.discard()
    this.#clip = this.#upload = this.#found = this.#take = this.#running = null
    void this.#store.clear()
    this.#show()
  }

  #closed(): void {
    render(null, this.#dialog)
    if (this.#clip) return
    // What was recorded to its end is kept; what was canceled before is not.
    if (this.#take && this.#take.blob.size > 0) this.#use(this.#take)
    else if (this.#upload || this.#running) this.remove()
  }
}

/** Completes the upload, says what belongs to it and submits it. Each step can be repeated. */
async function submitVideo(
  { id, upload }: { id: string; upload: { token: string } },
  draft: object,
  key: string,
): Promise<Answer<{ revoke_token: string | null }>> {
  const path = `/api/public/v1/uploads/${id}`
  const headers = { 'x-upload-token': upload.token }
  const completed = await sendRequest(`${path}/complete/`, { method: 'POST', headers })
  if ('failure' in completed) return completed
  const updated = await sendRequest(`${path}/draft/`, { method: 'PATCH', headers, body: draft })
  // A draft that was submitted cannot be changed: the submission that follows returns its receipt.
  if ('failure' in updated && updated.failure.code !== 'state_conflict') return updated
  const submitted = await sendRequest<{ submission: { revoke_token: string | null } | null }>(`${path}/draft/submit/`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': key },
  })
  return 'failure' in submitted ? submitted : { output: { revoke_token: submitted.output.submission?.revoke_token ?? null } }
}

function progressOf({ phase, sentBytes }: UploadState, texts: RecorderTexts): string {
  if (phase === 'uploaded') return ''
  if (phase === 'lost') return texts.lost
  return phase === 'failed' ? texts.stopped : fill(texts.uploading, { size: sizeOf(sentBytes) })
}

/** The end of a name says what it is. */
function fileNameOf(contentType: string, file?: { name: string } | null): string {
  if (file) return file.name.slice(-FILE_NAME_CHARACTERS) || 'video'
  return contentType.includes('mp4') ? 'recording.mp4' : 'recording.webm'
}
