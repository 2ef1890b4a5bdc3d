import { useEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'
import { toast } from '../ui/toasts.tsx'
import { refreshVideos } from './videos.ts'

/** What is said beside the video, as it is typed. */
export const EMPTY = { name: '', role: '', company: '', body: '', granted: false }
export type UploadFields = typeof EMPTY

interface Progress {
  sentBytes: number
  totalBytes: number | null
}

/** Uploads a file, which resumes by itself after a lost connection, and sends it to the inbox. */
export function useUpload(onDone: () => void) {
  const ref = useProjectRef()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [isWaiting, setIsWaiting] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const stopping = useRef<AbortController>(null)
  const isSending = progress !== null
  useEffect(() => () => stopping.current?.abort(), [])
  useWarning(isSending)

  const upload = async (file: File, { name, role, company, body, granted }: UploadFields, signal: AbortSignal) => {
    const author = { name: name.trim(), title: role.trim() || null, company: company.trim() || null }
    const draft = { author, body: body.trim(), consent: { granted } }
    const video = await api.videos.upload({ ...ref, draft }, file, {
      signal,
      onProgress: (made) => {
        setIsWaiting(false)
        setProgress(made)
      },
      onRetry: () => setIsWaiting(true),
    })
    await api.videos.draft.submit({ ...ref, video_id: video.id })
  }
  const send = async (file: File, fields: UploadFields) => {
    const controller = new AbortController()
    stopping.current = controller
    setError(null)
    setProgress({ sentBytes: 0, totalBytes: file.size })
    try {
      await upload(file, fields, controller.signal)
      toast({ look: 'good', text: 'Uploaded. It is in the inbox, and plays here in a moment.' })
      onDone()
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
    } finally {
      setProgress(null)
      setIsWaiting(false)
      await refreshVideos(ref.project_id)
    }
  }
  return {
    ...{ progress, isWaiting, isSending, error },
    send: (file: File, fields: UploadFields) => void send(file, fields),
    stop: () => stopping.current?.abort(),
  }
}

/** Asks before the page is left while a file is on its way. */
function useWarning(isSending: boolean): void {
  useEffect(() => {
    if (!isSending) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isSending])
}
