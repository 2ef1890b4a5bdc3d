/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks'
import { fill } from '../page-data.ts'
import { LiveStage } from './live-stage.tsx'
import { type CameraProblem, canRecord, closeCamera, type Devices, openCamera, problemOf, type Recording, startRecording } from './media.ts'
import { Preview } from './preview.tsx'
import type { RecorderTexts } from './texts.ts'
import { clockOf } from './texts.ts'

const COUNTDOWN = 3
const SECOND_MS = 1_000

/** What was recorded, and how it gets to the service. */
export interface Take {
  blob: Blob
  durationMs: number
}

export interface RecorderProps {
  texts: RecorderTexts
  maxSeconds: number
  /** A recording began: it is uploaded from now on. */
  onStart: (recording: Recording) => void
  keep: (piece: Blob) => Promise<void>
  onRetake: () => void
  onUse: (take: Take) => void
  onClose: () => void
  /** What of the recording has arrived, in words. */
  progress: string
  chooseFile: (file: File) => void
}

type Step =
  | { name: 'asking' }
  | { name: 'problem'; problem: CameraProblem | 'empty' }
  | { name: 'live'; stream: MediaStream }
  | { name: 'countdown'; stream: MediaStream; left: number }
  | { name: 'recording'; stream: MediaStream; recording: Recording }
  | { name: 'preview'; take: Take }

/** The recorder: asks for the camera, counts down, records up to the limit, and shows what was recorded. */
export function Recorder(props: RecorderProps) {
  const { texts, maxSeconds } = props
  const { step, setStep, devices, ask } = useSteps(props)
  const limit = clockOf(maxSeconds * SECOND_MS)
  switch (step.name) {
    case 'asking':
      return <Said text={texts.asking} {...props} />
    case 'problem':
      return <Said text={texts[step.problem]} {...props} again={() => void ask(devices)} />
    case 'preview':
      return (
        <Preview
          {...props}
          take={step.take}
          retake={() => {
            props.onRetake()
            setStep({ name: 'asking' })
            void ask(devices)
          }}
        />
      )
    default:
      return (
        <LiveStage
          {...props}
          stream={step.stream}
          devices={devices}
          choose={(chosen) => void ask(chosen)}
          countdown={step.name === 'countdown' ? step.left : null}
          recording={step.name === 'recording' ? step.recording : null}
          start={() => setStep({ name: 'countdown', stream: step.stream, left: COUNTDOWN })}
          limit={limit}
          hint={fill(texts.timeOf, { time: clockOf(0), limit })}
        />
      )
  }
}

/** The camera and the steps: they change with time, with the camera, and with what the visitor does. */
function useSteps({ keep, onStart }: RecorderProps) {
  const [step, setStep] = useState<Step>({ name: 'asking' })
  const [devices, setDevices] = useState<Devices>({})
  const camera = useRef<MediaStream | null>(null)
  const isOpen = useRef(true)

  async function ask(chosen: Devices): Promise<void> {
    closeCamera(camera.current)
    if (!canRecord()) return setStep({ name: 'problem', problem: 'unsupported' })
    setDevices(chosen)
    try {
      const stream = await openCamera(chosen)
      // Closed while the browser asked: the light of the camera goes out.
      if (!isOpen.current) return closeCamera(stream)
      camera.current = stream
      setStep({ name: 'live', stream })
    } catch (error) {
      setStep({ name: 'problem', problem: problemOf(error) })
    }
  }

  function record(stream: MediaStream): void {
    const recording = startRecording(stream, keep)
    onStart(recording)
    setStep({ name: 'recording', stream, recording })
    void recording.whole.then((take) => {
      closeCamera(stream)
      setStep(take.blob.size > 0 ? { name: 'preview', take } : { name: 'problem', problem: 'empty' })
    })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once, when it opens
  useEffect(() => {
    void ask({})
    return () => {
      isOpen.current = false
      closeCamera(camera.current)
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step has one timer
  useEffect(() => {
    if (step.name !== 'countdown') return undefined
    const { stream, left } = step
    const timer = setTimeout(() => (left > 1 ? setStep({ ...step, left: left - 1 }) : record(stream)), SECOND_MS)
    return () => clearTimeout(timer)
  }, [step])
  return { step, setStep, devices, ask }
}

/** Something to read, and the way out: a file. */
function Said({ text, texts, onClose, chooseFile, again }: RecorderProps & { text: string; again?: () => void }) {
  return (
    <div class="stage said-stage">
      <p role="status">{text}</p>
      {again && (
        <button type="button" class="pill" onClick={again}>
          {texts.tryAgain}
        </button>
      )}
      {again && (
        <label class="pill quiet file-pill">
          {/* On a phone it opens the camera of the system, which needs no permission of the page. */}
          <input
            type="file"
            accept="video/*"
            capture="user"
            onChange={({ currentTarget: { files } }) => {
              if (files?.[0]) chooseFile(files[0])
            }}
          />
          {texts.choose}
        </label>
      )}
      <button type="button" class="pill quiet" onClick={onClose}>
        {texts.cancel}
      </button>
    </div>
  )
}
