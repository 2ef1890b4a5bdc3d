import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { fieldsOf, type Widget } from './fields.ts'
import { savedQuery } from './preview.ts'
import { Wall } from './wall.tsx'

/** The widget as websites show it, small, once its card is on the screen. Only a picture: nothing in it can be reached. */
export function Thumbnail({ widget }: { widget: Widget }) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      setIsSeen(true)
      observer.disconnect()
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const { data } = useQuery({ ...savedQuery(widget.id, fieldsOf(widget)), enabled: isSeen, retry: false })
  const { mode } = widget.theme
  return (
    <div ref={place} className="widget-thumb" data-theme={mode === 'auto' ? undefined : mode} aria-hidden="true" inert>
      {data && (data.layout === 'badge' || data.items.length > 0) && (
        <div data-layout={data.layout}>
          <Wall data={data} />
        </div>
      )}
    </div>
  )
}
