/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks'

/** Plays a video that is in this page alone. */
export function OwnVideo({ blob, label, class: className }: { blob: Blob; label: string; class?: string }) {
  const url = useObjectUrl(blob)
  // biome-ignore lint/a11y/useMediaCaption: its author has just said it
  return <video class={className} src={url} controls playsinline preload="metadata" aria-label={label} />
}

/** Shows what the camera sees now, without sound. */
export function LiveVideo({ stream }: { stream: MediaStream }) {
  const show = (video: HTMLVideoElement | null) => {
    if (video && video.srcObject !== stream) video.srcObject = stream
  }
  return <video class="live" ref={show} autoplay muted playsinline />
}

/** Saves a video as a file of the visitor. */
export function SaveLink({ blob, fileName, children }: { blob: Blob; fileName: string; children: string }) {
  const url = useObjectUrl(blob)
  if (url === undefined) return null
  return (
    <a class="plain" href={url} download={fileName}>
      {children}
    </a>
  )
}

/** Returns an address of a blob in this page, for as long as it is shown. */
function useObjectUrl(blob: Blob): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
