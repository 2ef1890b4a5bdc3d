import { infiniteQueryOptions } from '@tanstack/react-query'
import { defined, textOf } from '../address.ts'
import { api, type Item, queries } from '../api.ts'

export type Video = Item<typeof api.videos.list>
type State = Video['state']
interface ProjectRef {
  team_id: string
  project_id: string
}

export const STATES = ['reserved', 'uploading', 'uploaded', 'transcoding', 'ready', 'failed', 'expired'] as const
const POLL_MS = 5_000
/** Addresses are signed for an hour. */
const FRESH_MS = 50 * 60_000

/** What the page shows, as it stands in the address. */
export interface Filters {
  state?: State | undefined
  /** The video that is open. */
  item?: string | undefined
  view?: 'upload' | undefined
}

/** Reads the address. */
export function readFilters(search: Record<string, unknown>): Filters {
  return defined({
    state: STATES.find((state) => state === search.state),
    item: textOf(search.item),
    view: search.view === 'upload' ? ('upload' as const) : undefined,
  })
}

/** Each state in a word, and what it means or what to do. */
export const EXPLAINED: Readonly<Record<State, { name: string; look: 'good' | 'bad' | 'warn' | ''; means: string }>> = {
  reserved: { name: 'Waiting for the file', look: '', means: 'The upload has not begun. It can begin within 24 hours.' },
  uploading: { name: 'Uploading', look: 'warn', means: 'The file is on its way. An upload that stopped can go on within 24 hours.' },
  uploaded: { name: 'Waiting', look: 'warn', means: 'The file has arrived and waits to be prepared for browsers.' },
  transcoding: { name: 'Preparing', look: 'warn', means: 'The video is being prepared for browsers.' },
  ready: { name: 'Ready', look: 'good', means: 'It can be watched. It is public once its submission is approved, with consent.' },
  failed: { name: 'Failed', look: 'bad', means: 'The video could not be prepared. Try again within seven days, or upload another file.' },
  expired: { name: 'Expired', look: 'bad', means: 'The file did not arrive in time. Upload it again.' },
}

export function videosQuery(ref: ProjectRef, state: State | undefined) {
  return infiniteQueryOptions({
    queryKey: ['videos', ref.project_id, state],
    queryFn: ({ pageParam: cursor }) => api.videos.list({ ...ref, state, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    staleTime: FRESH_MS,
    refetchOnMount: 'always' as const,
    refetchInterval: ({ state: { data } }) => (data?.pages.some(({ results }) => results.some(isOnItsWay)) ? POLL_MS : false),
  })
}

/** Reads again what is shown of videos, here and in the inbox. */
export async function refreshVideos(project_id: string, video_id?: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['videos', project_id] }),
    video_id !== undefined && queries.invalidateQueries({ queryKey: ['video', video_id] }),
  ])
}

function isOnItsWay({ state, error }: Video): boolean {
  return error === null && ['uploaded', 'transcoding'].includes(state)
}

/** "1:05" of milliseconds. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const MEGABYTE = 1_000_000

export function sizeText(bytes: number): string {
  return bytes < MEGABYTE ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / MEGABYTE).toFixed(1)} MB`
}
