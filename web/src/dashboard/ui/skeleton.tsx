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
