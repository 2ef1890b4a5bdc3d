import { At } from '../ui/time.tsx'

const KILOBYTE = 1_000
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** When a file was sent, and how large it is. */
export function Exact({ at, sizeBytes }: { at: string; sizeBytes: number | null }) {
  return (
    <span className="soft">
      <At at={at} />
      {sizeBytes !== null && ` · ${sizeOf(sizeBytes)}`}
    </span>
  )
}

function sizeOf(bytes: number): string {
  if (bytes < KILOBYTE) return `${bytes} bytes`
  if (bytes < KILOBYTE ** 2) return `${number.format(bytes / KILOBYTE)} KB`
  return `${number.format(bytes / KILOBYTE ** 2)} MB`
}
