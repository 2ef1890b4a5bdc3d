import { createElement, useEffect, useRef, useState } from 'react'
import { onThisOrigin } from '../api.ts'
import type { WidgetFields } from './fields.ts'
import type { ShownItem } from './preview.ts'

/** The one script that websites load. It brings its own styles, and nothing of it is in the dashboard's files. */
const EMBED = '/embed.js'

/** What an element shows, as the service answers it for a widget. */
export interface WallData extends Pick<WidgetFields, 'layout' | 'theme'> {
  items: readonly ShownItem[]
  aggregate: { count: number; average_rating: number | null }
  has_badge: boolean
}

/** A widget as websites show it: their element, from their script, with data that it need not ask for. */
export function Wall({ data }: { data: WallData }) {
  const element = useRef<HTMLElement & { data?: WallData }>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const text = JSON.stringify(onOurOrigin(data))
  useEffect(() => {
    import(/* @vite-ignore */ EMBED).catch(() => setHasFailed(true))
  }, [])
  useEffect(() => {
    // Set before the script is there, it waits for the element.
    if (element.current) element.current.data = JSON.parse(text)
  }, [text])
  if (hasFailed) return <p className="soft">The preview did not load. Reload the page to try again.</p>
  return createElement(data.layout === 'badge' ? 'earshot-badge' : 'earshot-wall', { ref: element, base: location.origin })
}

/** The page may load pictures and videos from the address alone that it was opened at. */
function onOurOrigin({ items, ...data }: WallData): WallData {
  return {
    ...data,
    items: items.map(({ author, video, ...item }) => ({
      ...item,
      author: { ...author, avatar_url: author.avatar_url && onThisOrigin(author.avatar_url) },
      video: video && {
        ...video,
        poster_url: onThisOrigin(video.poster_url),
        playback_url: onThisOrigin(video.playback_url),
        captions: video.captions.map((caption) => ({ ...caption, url: onThisOrigin(caption.url) })),
      },
    })),
  }
}
