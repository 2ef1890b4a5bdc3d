/** @jsxImportSource preact */
import { fill } from '../page-data.ts'
import { OwnVideo, SaveLink } from './own-video.tsx'
import { clockOf, type RecorderTexts, shareOf, sizeOf, uploadFailure } from './texts.ts'
import type { UploadState } from './upload.ts'

/** The video on the form: one that is ready to be sent, or one that was left behind. */
export interface ClipPanelProps {
  texts: RecorderTexts
  project: string
  clip: { blob: Blob | null; fileName: string; durationMs: number | null; maxBytes: number | null } | null
  upload: UploadState | null
  /** A recording that was interrupted; whether all of it is here. */
  found: { isWhole: boolean; durationMs: number } | null
  onContinue: () => void
  onRemove: () => void
  onRetry: () => void
}

/** Shows the video of the form. */
export function ClipPanel(props: ClipPanelProps) {
  const { texts, clip, found } = props
  if (found) {
    return (
      <section class="clip" aria-label={texts.preview}>
        <p>
          <b>{texts.found}</b>
          <span>{found.isWhole ? texts.foundHint : texts.foundPart}</span>
        </p>
        <div class="clip-keys">
          <button type="button" class="camera" onClick={props.onContinue}>
            {texts.continue}
          </button>
          <button type="button" class="plain" onClick={props.onRemove}>
            {texts.discard}
          </button>
        </div>
      </section>
    )
  }
  return clip && <Clip {...props} clip={clip} />
}

function Clip({ texts, project, clip, upload, onRemove, onRetry }: ClipPanelProps & { clip: NonNullable<ClipPanelProps['clip']> }) {
  const share = upload?.totalBytes ? upload.sentBytes / upload.totalBytes : null
  const isFailed = upload?.phase === 'failed'
  return (
    <section class="clip" aria-label={texts.preview}>
      {clip.blob && <OwnVideo blob={clip.blob} label={texts.preview} />}
      <p>
        <b>{isFailed ? uploadFailure(upload.code, { texts, project, maxBytes: clip.maxBytes }) : texts.ready}</b>
        <span>{detailsOf(texts, clip, share)}</span>
      </p>
      {!isFailed && share !== null && share < 1 && <progress value={share} aria-label={fill(texts.uploaded, { share: shareOf(share) })} />}
      <p class="fine" role="status">
        {upload?.phase === 'lost' ? texts.lost : ''}
      </p>
      <div class="clip-keys">
        {isFailed && (
          <button type="button" class="plain" onClick={onRetry}>
            {texts.tryAgain}
          </button>
        )}
        {isFailed && clip.blob && (
          <SaveLink blob={clip.blob} fileName={clip.fileName}>
            {texts.download}
          </SaveLink>
        )}
        <button type="button" class="plain" onClick={onRemove}>
          {texts.remove}
        </button>
      </div>
    </section>
  )
}

function detailsOf(
  texts: RecorderTexts,
  { blob, durationMs }: { blob: Blob | null; durationMs: number | null },
  share: number | null,
): string {
  const parts = [
    ...(durationMs === null ? [] : [fill(texts.length, { time: clockOf(durationMs) })]),
    ...(blob === null ? [] : [sizeOf(blob.size)]),
    ...(share === null || share >= 1 ? [] : [fill(texts.uploaded, { share: shareOf(share) })]),
  ]
  return parts.join(' · ')
}
