import { Icon } from './icon.tsx'

const FIVE = [1, 2, 3, 4, 5]

/** A rating of one to five. */
export function Stars({ rating }: { rating: number }) {
  return (
    <span className="stars" role="img" aria-label={`${rating} of 5 stars`}>
      {FIVE.map((star) => (
        <Icon key={star} name="star" className={star > rating ? 'off' : 'on'} />
      ))}
    </span>
  )
}
