import {
  createSubmission,
  datePastDecisions,
  moderateSubmissions,
  type NewSubmission,
  revokeConsent,
  type Tx,
  transaction,
  updateSubmission,
} from '@earshot/db'
import { hashToken, makeRevokeToken } from '@earshot/server'
import { CONSENT_TEXT, type DemoPlace, daysAgo, idAt } from './place.ts'
import type { RejectedVoice, Voice } from './voice.ts'
import { olderVoices } from './voices-approved.ts'
import { newerVoices } from './voices-newer.ts'
import { pendingVoices, rejectedVoices } from './voices-open.ts'

const HOUR_MS = 3_600_000
/** How long colleagues take to decide, in turn. */
const DECIDED_AFTER_HOURS = [2, 19, 5, 44, 1, 9, 27]

/** A voice that has been stored, and what follows. */
interface Stored {
  submission_id: string
  arrived: Date
  revokeTokenHash: Buffer
  voice: Voice & Partial<Pick<RejectedVoice, 'reason'>>
  to: 'approved' | 'rejected' | null
}

/** Stores the voices as of their days, and what the team decided. */
export async function fillSubmissions({ tx, ...place }: DemoPlace): Promise<void> {
  await transaction(tx, async (tx) => {
    const stored: Stored[] = []
    const voices = [
      ...[...olderVoices, ...newerVoices].map((voice) => ({ voice, to: 'approved' as const })),
      ...rejectedVoices.map((voice) => ({ voice, to: 'rejected' as const })),
      ...pendingVoices.map((voice) => ({ voice, to: null })),
    ].sort((a, b) => b.voice.days - a.voice.days)
    for (const [index, { voice, to }] of voices.entries()) stored.push({ ...(await store(tx, place, voice, index)), to })
    await decide(tx, place, stored)
    for (const { voice, revokeTokenHash } of stored) if (voice.consent === 'withdrawn') await revokeConsent(tx, revokeTokenHash)
  })
}

async function store(tx: Tx, { ids, admin }: Omit<DemoPlace, 'tx'>, voice: Voice, index: number): Promise<Omit<Stored, 'to'>> {
  // Of the same day, one arrives an hour after the other.
  const arrived = new Date(daysAgo(voice.days).getTime() - ((index % 7) + 1) * HOUR_MS)
  const revokeTokenHash = hashToken(makeRevokeToken())
  const fields = { ...fieldsOf(voice, arrived), id: idAt(arrived), revoke_token_hash: revokeTokenHash }
  const { id } = await createSubmission(tx, ids, fields, fields.channel === 'public' ? undefined : admin)
  return { submission_id: id, arrived, revokeTokenHash, voice }
}

function fieldsOf(voice: Voice, arrived: Date): NewSubmission {
  const { who, body, title, rating, language = 'en', tags = [], provider, consent, excerpt, position } = voice
  const [author_name, author_title, author_company] = who
  const isTestimonial = excerpt !== undefined || position !== undefined || voice.channel === 'dashboard'
  const channel = voice.channel ?? (isTestimonial ? 'dashboard' : 'public')
  const isGranted = consent !== 'none'
  return {
    ...{ kind: isTestimonial ? 'testimonial' : 'text', channel, body, language, tags: [...tags] },
    ...{ author_name, author_title: author_title ?? null, author_company: author_company ?? null },
    ...{ title: title ?? null, rating: rating ?? null },
    ...{ consent_granted: isGranted, consent_text: CONSENT_TEXT, consent_granted_at: isGranted ? arrived.toISOString() : null },
    ...(provider !== undefined && { source_provider: provider, source_collected_at: arrived.toISOString() }),
    ...(excerpt !== undefined && { excerpt }),
  }
}

/** The admin and a member take turns; the admin features some. */
async function decide(tx: Tx, { ids, admin, member }: Omit<DemoPlace, 'tx'>, stored: readonly Stored[]): Promise<void> {
  for (const [turn, actor] of [admin, member].entries()) {
    const items = stored.flatMap(({ submission_id, voice, to }, index) =>
      to === null || index % 2 !== turn ? [] : [{ submission_id, to, expected_state: 'pending' as const, reason: voice.reason }],
    )
    await moderateSubmissions(tx, actor, ids, items)
  }
  for (const { submission_id, voice } of stored) {
    if (voice.position === undefined) continue
    await updateSubmission(tx, admin, { ...ids, submission_id, kind: 'testimonial' }, { featured: true, position: voice.position })
  }
  const decisions = stored.map(({ submission_id, arrived, to }, index) => {
    const afterMs = (DECIDED_AFTER_HOURS[index % DECIDED_AFTER_HOURS.length] ?? 1) * HOUR_MS
    return { submission_id, decided_at: to === null ? null : new Date(arrived.getTime() + afterMs).toISOString() }
  })
  await datePastDecisions(tx, ids, decisions)
}
