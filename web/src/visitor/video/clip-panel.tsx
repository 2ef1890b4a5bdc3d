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
  /** A video that was left behind; whether all of it is here. A file has a name. */
  found: { isWhole: boolean; fileName: string | null } | null
  onContinue: () => void
  chooseFile: (file: File) => void
  onRemove: () => void
  onRetry: () => void
}

/** Shows the video of the form. */
export function ClipPanel(props: ClipPanelProps) {
  const { clip, found } = props
  if (found) return <Found {...props} found={found} />
  return clip && <Clip {...props} clip={clip} />
}

/** What an earlier visit left behind. */
function Found({ texts, found, onContinue, onRemove, chooseFile }: ClipPanelProps & { found: NonNullable<ClipPanelProps['found']> }) {
  const { isWhole, fileName } = found
  return (
    <section class="clip" aria-label={texts.preview}>
      <p>
        <b>{fileName === null ? texts.found : fill(texts.foundFile, { file: fileName })}</b>
        <span>{hintOf(texts, found)}</span>
      </p>
      <div class="clip-keys">
        {isWhole || fileName === null ? (
          <button type="button" class="camera" onClick={onContinue}>
            {fileName === null ? texts.continue : texts.use}
          </button>
        ) : (
          <FileChoice texts={texts} chooseFile={chooseFile} />
        )}
        <button type="button" class="plain" onClick={onRemove}>
          {texts.discard}
        </button>
      </div>
    </section>
  )
}

function hintOf(texts: RecorderTexts, { isWhole, fileName }: NonNullable<ClipPanelProps['found']>): string {
  if (fileName !== null) return isWhole ? '' : texts.foundAgain
  return isWhole ? texts.foundHint : texts.foundPart
}

function FileChoice({ texts, chooseFile }: Pick<ClipPanelProps, 'texts' | 'chooseFile'>) {
  return (
    <label class="file camera">
      <input
        type="file"
        accept="video/*"
        onChange={({ currentTarget: { files } }) => {
          if (files?.[0]) chooseFile(files[0])
        }}
      />
      <span>{texts.chooseAgain}</span>
    </label>
  )
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
