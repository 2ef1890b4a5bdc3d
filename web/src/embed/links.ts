import { make } from './dom.ts'
import type { Video } from './feedback.ts'

/** Fills a node from the links of a video. When they have ended, which happens once, from new ones. */
export function renewing<Kind extends HTMLElement>(
  node: Kind,
  video: Video,
  readAgain: () => Promise<Video | null>,
  fill: (node: Kind, video: Video) => void,
): void {
  const again = () => void readAgain().then((fresh) => fresh && fill(node, fresh), Boolean)
  node.addEventListener('error', again, { once: true })
  fill(node, video)
}

/** Gives a player its film, with captions. */
export function fill(player: HTMLVideoElement, { playback_url, poster_url, captions }: Video): void {
  // Captions of another origin need it. Without captions, a store need not allow origins.
  if (captions.length > 0) player.crossOrigin = 'anonymous'
  player.replaceChildren(
    ...captions.map(({ language, label, url }) => make('track', '', { kind: 'captions', srclang: language, label, src: url })),
  )
  player.poster = poster_url
  player.src = playback_url
}
