import { type UploadProgress, uploadVideoFile } from '@earshot/contracts/client'
import { useEffect, useRef, useState } from 'react'
import { api, isRefusal, type Output } from '../api.ts'
import { deleteOwn } from '../own-deletions.ts'
import { useProjectRef } from '../shell/places.ts'
import { toast } from '../ui/toasts.tsx'
import { isSameFile, type KeptUpload, keepUpload, readUpload } from './kept-upload.ts'
import { refreshVideos, type Video } from './videos.ts'

/** What is said beside the video, as it is typed. */
export const EMPTY = { name: '', role: '', company: '', body: '', granted: false }
export type UploadFields = typeof EMPTY

const IS_ON_ITS_WAY: readonly Video['state'][] = ['reserved', 'uploading']

/**
 * Uploads a file, and sends it to the inbox. It resumes by itself after a lost connection, and with the same file after a reload: what
 * the service has of it already is not sent again.
 */
export function useUpload(onDone: () => void) {
  const ref = useProjectRef()
  const [progress, setProgress] = useState<UploadProgress | null>(null)
  const [isWaiting, setIsWaiting] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const stopping = useRef<AbortController>(null)
  const isSending = progress !== null
  useEffect(() => () => stopping.current?.abort(), [])
  useWarning(isSending)

  const upload = async (file: File, { name, role, company, body, granted }: UploadFields, signal: AbortSignal) => {
    const author = { name: name.trim(), title: role.trim() || null, company: company.trim() || null }
    const draft = { author, body: body.trim(), consent: { granted } }
    const options = {
      signal,
      onProgress: (made: UploadProgress) => {
        setIsWaiting(false)
        setProgress(made)
      },
      onRetry: () => setIsWaiting(true),
    }
    const before = readUpload(ref.project_id)
    const found = before && isSameFile(before, file) ? await find(ref, before) : null
    const onReserved = ({ video, upload: target }: Output<typeof api.videos.reserve>) => {
      keepUpload(ref.project_id, { video_id: video.id, upload: target, file: described(file) })
      // Another file takes its place. If that fails, it expires by itself.
      if (before) void deleteOwn(before.video_id, () => api.videos.delete({ ...ref, video_id: before.video_id })).catch(() => {})
    }
    const video_id = found?.id ?? (await api.videos.upload({ ...ref, draft }, file, { ...options, onReserved })).id
    if (before && found) await goOn({ ...ref, video_id }, { kept: before, found, file, draft, options })
    await api.videos.draft.submit({ ...ref, video_id })
    keepUpload(ref.project_id, null)
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

interface ProjectRef {
  team_id: string
  project_id: string
}

interface Rest {
  kept: KeptUpload
  found: Video
  file: File
  draft: Parameters<typeof api.videos.upload>[0]['draft']
  options: Parameters<typeof uploadVideoFile>[3]
}

/** The video of an upload that can go on; null if it was deleted, or has expired. */
async function find(ref: ProjectRef, { video_id }: KeptUpload): Promise<Video | null> {
  try {
    const video = await api.videos.retrieve({ ...ref, video_id })
    return video.state === 'expired' ? null : video
  } catch (error) {
    if (isRefusal(error, 'not_found')) return null
    throw error
  }
}

/** Sends what is missing of the file, and what was typed since. It may have been complete, or even submitted. */
async function goOn(ref: ProjectRef & { video_id: string }, { kept, found, file, draft, options }: Rest): Promise<void> {
  if (found.draft.submission_id === null) await api.videos.draft.update({ ...ref, ...draft })
  if (!IS_ON_ITS_WAY.includes(found.state)) return
  await uploadVideoFile({ baseUrl: location.origin }, kept, file, options)
  await api.videos.complete(ref)
}

function described({ name, size, lastModified }: File): KeptUpload['file'] {
  return { name, size, lastModified }
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
