/** The shape of what is being loaded, so that nothing moves when it arrives. */
export function Skeleton({ rows = 4, height = '3rem' }: { rows?: number; height?: string }) {
  const keys = Array.from({ length: rows }, (_, index) => index)
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {keys.map((key) => (
        <i key={key} style={{ blockSize: height }} />
      ))}
      <p className="slow">This takes longer than usual…</p>
    </div>
  )
}

interface ListSkeletonProps {
  rows?: number
  /** The height of a row of the list. */
  height?: string
  /** Each row begins with a face. */
  hasFace?: boolean
}

/** The shape of a list in a frame: rows with a text at the start and one at the end. */
export function ListSkeleton({ rows = 6, height = '2.375rem', hasFace = false }: ListSkeletonProps) {
  const keys = Array.from({ length: rows }, (_, index) => index)
  return (
    <div className="skeleton list-skeleton" role="status" aria-label="Loading">
      {keys.map((key) => (
        <div key={key} style={{ blockSize: height }}>
          {hasFace && <i className="round" />}
          <i />
          <i className="end" />
        </div>
      ))}
      <p className="slow">This takes longer than usual…</p>
    </div>
  )
}
