import { Button } from './button.tsx'

/** Says that a list has new records, and shows them when the person asks: what is read stays in its place. */
export function NewsBar({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div role="status">
      {count > 0 && (
        <p className="news-bar">
          <span>{count === 1 ? '1 new' : `${count.toLocaleString('en')} new`}</span>
          <Button look="quiet" onClick={onShow}>
            Show
          </Button>
        </p>
      )}
    </div>
  )
}
