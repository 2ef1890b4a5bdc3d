import { useSyncExternalStore } from 'react'
import { Icon } from '../ui/icon.tsx'

/** Says that the connection is gone, as long as it is. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <div className="offline" role="status">
      {!isOnline && (
        <p>
          <Icon name="warn" />
          <span>You are offline. What you typed stays here.</span>
        </p>
      )}
    </div>
  )
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
