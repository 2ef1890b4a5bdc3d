import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, isRefusal } from '../api.ts'
import { deleteOwn } from '../own-deletions.ts'
import { useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Note } from '../ui/error-note.tsx'
import { toast } from '../ui/toasts.tsx'
import { type KeptUpload, keepUpload, useKeptUpload } from './kept-upload.ts'
import { refreshVideos, sizeText } from './videos.ts'

/** Says that an upload of this tab was interrupted: it goes on with the same file, or is removed. */
export function Interrupted() {
  const { project_id } = useProjectRef()
  const kept = useKeptUpload(project_id)
  return kept && <Offer key={kept.video_id} kept={kept} />
}

function Offer({ kept }: { kept: KeptUpload }) {
  const ref = { ...useProjectRef(), video_id: kept.video_id }
  const [isRemoving, setIsRemoving] = useState(false)
  const { data: video } = useQuery({
    queryKey: ['video', kept.video_id],
    queryFn: () => api.videos.retrieve(ref),
    refetchOnMount: 'always',
  })
  const remove = async () => {
    try {
      await deleteOwn(kept.video_id, () => api.videos.delete(ref))
    } catch (error) {
      if (!isRefusal(error, 'not_found')) throw error
    }
    keepUpload(ref.project_id, null)
    toast({ look: 'good', text: 'The upload was removed.' })
    await refreshVideos(ref.project_id)
  }
  return (
    <Note look="warn">
      <p>
        <strong>
          The upload of <bdi>{kept.file.name}</bdi> was interrupted.
        </strong>{' '}
        {video && `${sizeText(video.offset_bytes)} of ${sizeText(kept.file.size)} have arrived. `}
        Choose the same file again to go on from there.
      </p>
      <div className="row">
        <Link className="btn" from="/$team/$project/videos" search={(before) => ({ ...before, view: 'upload' })}>
          Go on with the upload
        </Link>
        <Button onClick={() => setIsRemoving(true)}>Remove it</Button>
      </div>
      {isRemoving && (
        <Confirm title="Remove this upload?" action="Remove the upload" onConfirm={remove} onClose={() => setIsRemoving(false)}>
          <p>What has arrived of the file is deleted. The file on your device stays.</p>
        </Confirm>
      )}
    </Note>
  )
}
