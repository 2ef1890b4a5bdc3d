import './videos.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { queries } from '../api.ts'
import { forgetNews, useNews } from '../live/news.ts'
import { useHasRole, useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { SelectField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { NewsBar } from '../ui/news-bar.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { VideoCard } from './card.tsx'
import { Interrupted } from './interrupted.tsx'
import { OpenVideo } from './open.tsx'
import { UploadDialog } from './upload.tsx'
import { EXPLAINED, STATES, videosQuery } from './videos.ts'

const ANY = ''
const OPTIONS = [{ value: ANY, label: 'Any state' }, ...STATES.map((state) => ({ value: state, label: EXPLAINED[state].name }))]

/** The videos of the project: to watch, to add captions, and to see what became of an upload. */
export function Videos() {
  const filters = useSearch({ from: '/$team/$project/videos' })
  const navigate = useNavigate({ from: '/$team/$project/videos' })
  const canWrite = useHasRole('member')
  const options = videosQuery(useProjectRef(), filters.state)
  const query = useInfiniteQuery(options)
  const all = query.data?.pages.flatMap(({ results }) => results) ?? []
  const newsCount = useNews(options.queryKey, all)
  const showNews = () => {
    forgetNews(options.queryKey)
    void queries.invalidateQueries({ queryKey: options.queryKey, exact: true })
  }
  const upload = canWrite && (
    <Button look="primary" icon="plus" onClick={() => void navigate({ search: { ...filters, view: 'upload' } })}>
      Upload a video
    </Button>
  )
  const close = () => void navigate({ search: { ...filters, view: undefined, item: undefined } })
  return (
    <Page title="Videos" lead="What customers recorded, and what your team uploaded." actions={upload} width="wide">
      <search className="video-filters">
        <SelectField
          label="State"
          options={OPTIONS}
          value={filters.state ?? ANY}
          onChange={({ target }) => void navigate({ search: { state: STATES.find((state) => state === target.value) }, replace: true })}
        />
      </search>
      {canWrite && filters.view !== 'upload' && <Interrupted />}
      <NewsBar count={newsCount} onShow={showNews} />
      <Loaded query={query} skeleton={<Skeleton rows={3} height="14rem" />}>
        {() =>
          all.length === 0 && !query.hasNextPage ? (
            <NoVideos isNarrowed={filters.state !== undefined} />
          ) : (
            <ul className="cards">
              {all.map((video) => (
                <VideoCard key={video.id} video={video} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More query={query} />
      {filters.view === 'upload' && canWrite && <UploadDialog onClose={close} />}
      {filters.item !== undefined && (
        <OpenVideo key={filters.item} id={filters.item} known={all.find(({ id }) => id === filters.item)} onClose={close} />
      )}
    </Page>
  )
}

function NoVideos({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty icon="video" title="No video is in this state">
        Choose another state to see the others.
      </Empty>
    )
  return (
    <Empty icon="video" title="No videos yet">
      Visitors record videos with the form of the project. You can also upload one that a customer sent you.
    </Empty>
  )
}
