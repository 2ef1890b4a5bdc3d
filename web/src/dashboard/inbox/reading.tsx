import type { ReactNode } from 'react'
import type { Submission } from '../api.ts'
import { providerName } from '../provider.ts'
import { Face, pictureOf } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { isVisible, plainName } from '../ui/names.ts'
import { Stars } from '../ui/stars.tsx'
import { At } from '../ui/time.tsx'
import { Decided } from './decided.tsx'
import { TagEditor } from './tag-editor.tsx'
import { channelText, languageName, safeAddress } from './texts.ts'
import { VideoPlayer } from './video-player.tsx'

/** One submission with all that is known of it. Its words are a stranger's: text, in its own direction. */
export function Reading({ item, canWrite }: { item: Submission; canWrite: boolean }) {
  const { author, title, body, rating, video_id } = item
  return (
    <div className="reading">
      <Decided item={item} />
      <div className="who">
        <Face name={author.name} picture={pictureOf(item)} />
        <div>
          <strong>
            <bdi>{plainName(author.name)}</bdi>
          </strong>
          <span>
            <bdi>{[author.title, author.company].filter(Boolean).join(', ')}</bdi>
          </span>
        </div>
        {rating !== null && <Stars rating={rating} />}
      </div>
      {video_id !== null && <VideoPlayer key={video_id} video_id={video_id} />}
      <div className="words">
        {isVisible(title) && <h2 dir="auto">{title}</h2>}
        <p dir="auto">{body}</p>
      </div>
      <ConsentNote item={item} />
      <Facts item={item} />
      <TagEditor key={item.id} item={item} canWrite={canWrite} />
    </div>
  )
}

function ConsentNote({ item: { consent, author } }: { item: Submission }) {
  const [firstName = ''] = plainName(author.name).split(' ')
  if (consent.revoked_at !== null)
    return (
      <Consent look="bad" title="Not for publication.">
        <bdi>{firstName}</bdi> withdrew the consent on <At at={consent.revoked_at} />. It stays private, whatever you decide.
      </Consent>
    )
  if (!consent.granted)
    return (
      <Consent look="warn" title="Not for publication.">
        <bdi>{firstName}</bdi> did not agree to be published. Approved or not, it stays inside your team.
      </Consent>
    )
  return (
    <Consent look="good" title="May be published.">
      <bdi>{firstName}</bdi> agreed{consent.text ? <> to “{<bdi>{consent.text}</bdi>}”</> : ''} and can withdraw at any time.
    </Consent>
  )
}

function Consent({ look, title, children }: { look: 'good' | 'warn' | 'bad'; title: string; children: ReactNode }) {
  return (
    <div className={`note ${look}`}>
      <Icon name="lock" />
      <p>
        <strong>{title}</strong> {children}
      </p>
    </div>
  )
}

function Facts({ item: { channel, language, source, author, created_at, external_id } }: { item: Submission }) {
  return (
    <dl className="facts">
      <Fact term="Source">{source.provider ? providerName(source.provider) : channelText[channel]}</Fact>
      <Fact term="Received">
        <At at={created_at} />
      </Fact>
      {source.collected_at && (
        <Fact term="Written">
          <At at={source.collected_at} />
        </Fact>
      )}
      {language && <Fact term="Language">{languageName(language)}</Fact>}
      {author.email && (
        <Fact term="E-mail">
          <a href={`mailto:${encodeURIComponent(author.email)}`}>{author.email}</a>
        </Fact>
      )}
      <ForeignLink term="Page" address={source.url} />
      <ForeignLink term="Website" address={author.website_url} />
      {external_id && <Fact term="Id in your system">{external_id}</Fact>}
    </dl>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A stranger's address: opened without telling where from, and only if it is one of the web. */
function ForeignLink({ term, address }: { term: string; address: string | null }) {
  const safe = safeAddress(address)
  if (safe === null) return null
  const { host, pathname } = new URL(safe)
  return (
    <Fact term={term}>
      <a href={safe} target="_blank" rel="nofollow ugc noopener noreferrer" referrerPolicy="no-referrer">
        <bdi>{host + (pathname === '/' ? '' : pathname)}</bdi>
      </a>
    </Fact>
  )
}
