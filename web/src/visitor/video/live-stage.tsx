/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks'
import { fill } from '../page-data.ts'
import type { Devices, Recording } from './media.ts'
import { LiveVideo } from './own-video.tsx'
import { clockOf, type RecorderTexts } from './texts.ts'

const TICK_MS = 200
const WARN_MS = 10_000
const SECOND_MS = 1_000

interface LiveStageProps {
  texts: RecorderTexts
  maxSeconds: number
  stream: MediaStream
  devices: Devices
  choose: (devices: Devices) => void
  /** Seconds until it records; null when it does not count. */
  countdown: number | null
  recording: Recording | null
  start: () => void
  onClose: () => void
  limit: string
  hint: string
  progress: string
}

/** What the camera sees, mirrored as people know themselves, with the button that starts and stops. */
export function LiveStage(props: LiveStageProps) {
  const { texts, stream, recording, countdown, maxSeconds, limit, progress, hint } = props
  const shutter = useRef<HTMLButtonElement>(null)
  const elapsedMs = useElapsed(recording, maxSeconds * SECOND_MS)
  const leftMs = maxSeconds * SECOND_MS - elapsedMs
  const isRunning = recording !== null
  // The same button starts and stops, and is disabled between.
  useEffect(() => (isRunning || countdown === null ? shutter.current?.focus() : undefined), [isRunning, countdown])

  const isIdle = countdown === null && recording === null
  return (
    <div class="stage">
      <LiveVideo stream={stream} />
      <p class="time">
        {recording && <i aria-hidden="true" />}
        <span>{recording ? fill(texts.timeOf, { time: clockOf(elapsedMs), limit }) : hint}</span>
      </p>
      <p class="sr" role="status">
        {saidOf(props, leftMs)}
      </p>
      {countdown !== null && (
        <p class="count" aria-hidden="true" key={countdown}>
          {countdown}
        </p>
      )}
      {isIdle && <DeviceChoice {...props} />}
      <div class="keys">
        <button type="button" class="round" onClick={props.onClose}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="m6 6 12 12M18 6 6 18" />
          </svg>
          <span class="sr">{texts.cancel}</span>
        </button>
        <button
          type="button"
          class={recording ? 'shutter running' : 'shutter'}
          ref={shutter}
          disabled={countdown !== null}
          onClick={() => (recording ? recording.stop() : props.start())}
        >
          <svg viewBox="0 0 84 84" aria-hidden="true">
            <circle cx="42" cy="42" r="39" />
            <circle class="gone" cx="42" cy="42" r="39" pathLength={100} stroke-dasharray={`${(elapsedMs / maxSeconds) * 0.1} 100`} />
          </svg>
          <i aria-hidden="true" />
          <span class="sr">{recording ? texts.stop : texts.start}</span>
        </button>
        <span class="round blank" />
      </div>
      <p class="sent">{recording ? progress : ''}</p>
    </div>
  )
}

function saidOf({ texts, countdown, recording }: LiveStageProps, leftMs: number): string {
  if (countdown !== null) return String(countdown)
  if (!recording) return ''
  return leftMs <= WARN_MS ? fill(texts.timeLeft, { time: clockOf(WARN_MS) }) : texts.recording
}

/** Counts the time of a recording, and ends it at the limit. */
function useElapsed(recording: Recording | null, maxMs: number): number {
  const [elapsedMs, setElapsed] = useState(0)
  useEffect(() => {
    setElapsed(0)
    if (!recording) return undefined
    const timer = setInterval(() => {
      const now = recording.elapsedMs()
      setElapsed(Math.min(now, maxMs))
      if (now >= maxMs) recording.stop()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [recording, maxMs])
  return elapsedMs
}

/** The cameras and microphones, by the names that a browser tells after it was allowed to use one. */
function DeviceChoice({ texts, stream, devices, choose }: LiveStageProps) {
  const [known, setKnown] = useState<MediaDeviceInfo[]>([])
  useEffect(() => {
    const look = () => void navigator.mediaDevices.enumerateDevices().then(setKnown, () => {})
    look()
    navigator.mediaDevices.addEventListener('devicechange', look)
    return () => navigator.mediaDevices.removeEventListener('devicechange', look)
  }, [])
  const used = new Set(stream.getTracks().map((track) => track.getSettings().deviceId))
  const select = (kind: MediaDeviceKind, label: string, name: 'camera' | 'microphone') => {
    const options = known.filter((device) => device.kind === kind && device.deviceId !== '')
    if (options.length < 2) return null
    return (
      <label>
        <span>{label}</span>
        <select onChange={({ currentTarget: { value } }) => choose({ ...devices, [name]: value })}>
          {options.map(({ deviceId, label: device }, index) => (
            <option key={deviceId} value={deviceId} selected={used.has(deviceId)}>
              {device || `${label} ${index + 1}`}
            </option>
          ))}
        </select>
      </label>
    )
  }
  return (
    <div class="devices">
      {select('videoinput', texts.camera, 'camera')}
      {select('audioinput', texts.microphone, 'microphone')}
    </div>
  )
}
