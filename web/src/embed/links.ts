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
