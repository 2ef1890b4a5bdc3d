import { Link } from '@tanstack/react-router'
import { useHasRole } from '../shell/places.ts'
import { Face, pictureOf } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { nameInText, plainName } from '../ui/names.ts'
import { Stars } from '../ui/stars.tsx'
import { Ago } from '../ui/time.tsx'
import type { Filters } from './filters.ts'
import { useChange } from './use-change.ts'
import { useDecided } from './use-decided.ts'
import { isTestimonial, type Testimonial, type Words } from './words.ts'

const LOOKS = { pending: 'warn', approved: 'good', rejected: 'bad' } as const

/** One testimonial or submission in the list. */
export function WordsRow({ words: stored, filters }: { words: Words; filters: Filters }) {
  const words = useDecided(stored)
  const { id, author, title, body, rating, created_at } = words
  const excerpt = isTestimonial(words) ? words.excerpt : null
  const isOpen = filters.item === id
  return (
    <li className="words-row" data-open={isOpen || undefined}>
      <Face name={author.name} picture={pictureOf(words)} />
      <div className="words-text">
        <p className="words-who">
          <Link
            id={`row-${id}`}
            from="/$team/$project/testimonials"
            search={{ ...filters, item: id }}
            activeOptions={{ exact: true }}
            {...(isOpen ? { 'aria-current': 'true' } : { 'aria-current': undefined })}
          >
            <bdi>{plainName(author.name)}</bdi>
          </Link>
          {author.company && <bdi>{author.company}</bdi>}
          <Ago at={created_at} />
        </p>
        {title && (
          <p className="words-title" dir="auto">
            {title}
          </p>
        )}
        <p className="words-body" dir="auto">
          {excerpt ?? body}
        </p>
        <p className="row">
          {rating !== null && <Stars rating={rating} />}
          <StateTag words={words} />
          {excerpt !== null && <span className="tag">Excerpt</span>}
        </p>
      </div>
      {isTestimonial(words) && <FeatureButton testimonial={words} />}
    </li>
  )
}

/** Whether visitors see it, and if not, why. */
export function StateTag({ words: { state, public: isPublic, consent } }: { words: Words }) {
  const isWithdrawn = consent.revoked_at !== null
  const hidden = isWithdrawn ? 'Consent withdrawn' : 'Approved, no consent'
  if (state === 'approved' && !isPublic) return <span className="tag warn">{hidden}</span>
  return <span className={`tag ${LOOKS[state]}`}>{{ pending: 'Pending', approved: 'Public', rejected: 'Rejected' }[state]}</span>
}

/** The star: widgets show featured testimonials first. */
export function FeatureButton({ testimonial }: { testimonial: Testimonial }) {
  const canWrite = useHasRole('member')
  const change = useChange()
  const { featured, author } = testimonial
  if (!canWrite) return featured ? <Icon name="star" className="featured" /> : null
  return (
    <button
      type="button"
      className="icon-btn feature"
      aria-pressed={featured}
      aria-label={`Feature the words of ${nameInText(author.name)}`}
      title={featured ? 'Featured: widgets show it first' : 'Feature: widgets show it first'}
      onClick={() => change.mutate({ before: testimonial, change: { featured: !featured } })}
    >
      <Icon name="star" />
    </button>
  )
}
