import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { EventType } from '../webhooks/records.ts'
import { FeedReader } from './feed-reader.ts'

/** The feed of a team, or of one type, while the page is open. */
export function useFeed(team_id: string, type: EventType | undefined): FeedReader {
  const reader = useMemo(() => new FeedReader(team_id, type), [team_id, type])
  useSyncExternalStore(reader.subscribe, () => reader.view)
  useEffect(() => {
    reader.start()
    return () => reader.stop()
  }, [reader])
  useEffect(() => {
    // A browser has six connections to a service: a stream that nobody sees must not take one.
    const change = () => {
      const isOn = reader.view.state === 'live' || reader.view.state === 'lost'
      if (isOn && document.hidden) reader.stop()
      else if (isOn) reader.start()
    }
    document.addEventListener('visibilitychange', change)
    return () => document.removeEventListener('visibilitychange', change)
  }, [reader])
  return reader
}
