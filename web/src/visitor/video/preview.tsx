/** @jsxImportSource preact */
import { useEffect, useRef } from 'preact/hooks'
import { fill } from '../page-data.ts'
import { OwnVideo } from './own-video.tsx'
import { clockOf, type RecorderTexts } from './texts.ts'

interface PreviewProps {
  texts: RecorderTexts
  take: { blob: Blob; durationMs: number }
  retake: () => void
  onUse: (take: { blob: Blob; durationMs: number }) => void
}

/** What was recorded, to be watched, taken or recorded again. */
export function Preview({ texts, take, retake, onUse }: PreviewProps) {
  const use = useRef<HTMLButtonElement>(null)
  useEffect(() => use.current?.focus(), [])
  return (
    <div class="stage">
      <OwnVideo class="taken" blob={take.blob} label={texts.preview} />
      <p class="time">
        <span>{fill(texts.length, { time: clockOf(take.durationMs) })}</span>
      </p>
      <div class="keys">
        <button type="button" class="pill quiet" onClick={retake}>
          {texts.retake}
        </button>
        <button type="button" class="pill" ref={use} onClick={() => onUse(take)}>
          {texts.use}
        </button>
      </div>
    </div>
  )
}
