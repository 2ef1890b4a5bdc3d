import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useRef, useState } from 'react'
import { isOwnDeletion } from '../own-deletions.ts'
import { providerName } from '../provider.ts'
import { useHasRole, useProject, useProjectRef } from '../shell/places.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Face, pictureOf } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Marked } from '../ui/marked.tsx'
import { isVisible, plainName } from '../ui/names.ts'
import { QuoteCard } from '../ui/quote-card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Stars } from '../ui/stars.tsx'
import { At } from '../ui/time.tsx'
import { focusRow, isEscape } from '../webhooks/panel.ts'
import { Decisions } from './decisions.tsx'
import { EditTestimonial } from './edit.tsx'
import { ExcerptWords } from './excerpt.tsx'
import type { Filters } from './filters.ts'
import { FeatureButton, StateTag } from './row.tsx'
import { useDecided } from './use-decided.ts'
import { isTestimonial, oneQuery, type Words } from './words.ts'

interface OpenProps {
  id: string
  kind: Filters['kind']
  /** From the list, if it has it. */
  known: Words | undefined
}

/** What is open beside the list; on a phone in place of the list. */
export function OpenWords({ id, kind, known }: OpenProps) {
  const query = useQuery({ ...oneQuery(useProjectRef(), id, kind), enabled: known === undefined && !isOwnDeletion(id) })
  const navigate = useNavigate({ from: '/$team/$project/testimonials' })
  const section = useRef<HTMLElement>(null)
  // Whoever came from the list goes on here, before a narrow window hides the list.
  useLayoutEffect(() => (document.activeElement === document.body ? undefined : section.current?.focus({ preventScroll: true })), [])
  const closeAndReturn = async () => {
    await navigate({ search: (before) => ({ ...before, item: undefined }) })
    focusRow(id)
  }
  const close = () => void closeAndReturn()
  return (
    <section
      ref={section}
      className="words-open card"
      aria-label="Open words"
      tabIndex={-1}
      onKeyDown={(event) => isEscape(event) && close()}
    >
      <header>
        <Button look="quiet" icon="left" onClick={close}>
          Back to the list
        </Button>
        <IconButton icon="x" label="Close" onClick={close} />
      </header>
      <Loaded query={known === undefined ? query : { data: known, error: null, refetch: query.refetch }} skeleton={<Skeleton rows={3} />}>
        {(words) => <Detail words={words} />}
      </Loaded>
    </section>
  )
}

function Detail({ words }: { words: Words }) {
  const canWrite = useHasRole('member')
  const [isEditing, setIsEditing] = useState(false)
  const testimonial = isTestimonial(words) ? words : null
  return (
    <div className="stack">
      <Author words={words} />
      {isVisible(words.title) && (
        <h3 className="words-heading" dir="auto">
          {words.title}
        </h3>
      )}
      {testimonial && canWrite ? (
        <ExcerptWords testimonial={testimonial} />
      ) : (
        <div className="words-whole" dir="auto">
          <Marked body={words.body} excerpt={testimonial?.excerpt ?? null} />
        </div>
      )}
      {canWrite && <Decisions words={words} onEdit={testimonial && (() => setIsEditing(true))} />}
      <Facts words={words} />
      <Preview words={words} />
      {isEditing && testimonial && <EditTestimonial testimonial={testimonial} onClose={() => setIsEditing(false)} />}
    </div>
  )
}

function Author({ words: stored }: { words: Words }) {
  const words = useDecided(stored)
  const { author, rating } = words
  const role = [author.title, author.company].filter(Boolean).join(', ')
  return (
    <div className="words-author">
      <Face name={author.name} picture={pictureOf(words)} />
      <div>
        <h2 dir="auto">{plainName(author.name)}</h2>
        {role && (
          <p className="soft" dir="auto">
            {role}
          </p>
        )}
        <p className="row">
          {rating !== null && <Stars rating={rating} />}
          <StateTag words={words} />
        </p>
      </div>
      {isTestimonial(words) && <FeatureButton testimonial={words} />}
    </div>
  )
}

const CHANNELS = { public: 'Form for visitors', api: 'API', mcp: 'MCP', import: 'Import', dashboard: 'Dashboard' } as const

function Facts({ words }: { words: Words }) {
  const { consent, source, channel, created_at, tags, author } = words
  return (
    <dl className="tm-facts">
      <Fact name="Consent">{consentText(words)}</Fact>
      {consent.text && (
        <Fact name="Agreed to">
          <bdi>{consent.text}</bdi>
        </Fact>
      )}
      <Fact name="Channel">{CHANNELS[channel]}</Fact>
      {(source.provider ?? source.url) && (
        <Fact name="Source">
          <Outside address={source.url} text={source.provider ? providerName(source.provider) : (source.url ?? '')} />
        </Fact>
      )}
      {author.website_url && (
        <Fact name="Website">
          <Outside address={author.website_url} text={author.website_url} />
        </Fact>
      )}
      <Fact name="Received">
        <At at={created_at} />
      </Fact>
      {tags.length > 0 && (
        <Fact name="Tags">
          <span className="row">
            {tags.map((tag) => (
              <Link
                key={tag}
                className="tag"
                from="/$team/$project/testimonials"
                search={(before) => ({ ...before, tag, item: undefined })}
              >
                <bdi>{tag}</bdi>
              </Link>
            ))}
          </span>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function consentText({ consent: { granted, revoked_at, granted_at } }: Words) {
  if (revoked_at !== null)
    return (
      <>
        Withdrawn on <At at={revoked_at} />
      </>
    )
  if (!granted) return 'Not given: nobody outside your team sees these words'
  return granted_at === null ? (
    'Given'
  ) : (
    <>
      Given on <At at={granted_at} />
    </>
  )
}

/** A link to another site, if its address is one that a browser may open. */
function Outside({ address, text }: { address: string | null; text: string }) {
  if (address === null || !/^https?:/i.test(address)) return <bdi>{text}</bdi>
  return (
    <a href={address} target="_blank" rel="noreferrer noopener nofollow">
      <bdi>{text}</bdi> <Icon name="external" />
    </a>
  )
}

function Preview({ words }: { words: Words }) {
  const { theme } = useProject()
  const canBePublic = words.consent.granted && words.consent.revoked_at === null
  const reason = canBePublic ? 'once it is approved' : 'once it is approved and the customer consents'
  return (
    <div className="tm-preview">
      <h3>{words.public ? 'As visitors see it' : `As visitors would see it, ${reason}`}</h3>
      <div className="branded" {...(theme.color !== null && { style: { '--brand': theme.color } })}>
        <QuoteCard quote={{ ...words, picture: pictureOf(words) }} />
      </div>
    </div>
  )
}
