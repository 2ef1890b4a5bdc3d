import { plainName } from './names.ts'
import './quote-card.css'
import { Face } from './face.tsx'
import { Marked } from './marked.tsx'
import { Stars } from './stars.tsx'

declare module 'react' {
  interface CSSProperties {
    '--brand'?: string
  }
}

/** What visitors read of a customer's words. */
export interface Quote {
  title: string | null
  body: string
  excerpt?: string | null
  rating: number | null
  author: { name: string; title: string | null; company: string | null }
  /** Of the author. */
  picture?: string | null
  /** Shown above the words. */
  posterUrl?: string | null
}

/** A customer's words as visitors see them: with the excerpt highlighted, and without an e-mail address. */
export function QuoteCard({ quote }: { quote: Quote }) {
  const { title, body, excerpt, rating, author, picture = null, posterUrl } = quote
  const role = [author.title, author.company].filter(Boolean).join(', ')
  return (
    <figure className="quote">
      {posterUrl && <img src={posterUrl} alt="" loading="lazy" />}
      {rating !== null && <Stars rating={rating} />}
      {title && (
        <p className="quote-title" dir="auto">
          {title}
        </p>
      )}
      <blockquote dir="auto">
        <Marked body={body} excerpt={excerpt ?? null} />
      </blockquote>
      <figcaption>
        <Face name={author.name} picture={picture} />
        <span dir="auto">
          <strong>{plainName(author.name)}</strong>
          {role && <small>{role}</small>}
        </span>
      </figcaption>
    </figure>
  )
}
