import { contracts } from '@earshot/contracts'
import {
  listSubmissions,
  type PublicVideoRow,
  receiveSubmission,
  revokeConsent,
  submissionFields,
  toTimestamp,
  type WidgetItemRow,
} from '@earshot/db'
import { requireFormToken } from '../auth/form-token.ts'
import type { PublicProjectRow } from '../auth/public-access.ts'
import { hashToken, makeId, makeRevokeToken } from '../auth/token-values.ts'
import { implement } from '../http/implement.ts'
import { imageUrl } from '../media/images.ts'
import { type MediaSigner, mediaLinks } from '../media/links.ts'
import { presentConsent } from './columns.ts'

export const publicSubmissions = implement(contracts.public.submissions, {
  create: async ({ ctx, input }) => {
    const { public_key, form_token, website, source_url = null, ...fields } = input
    if (form_token) requireFormToken(ctx.services.secretBox, form_token, Date.now())
    const revoke_token = makeRevokeToken()
    if (website) return decoy(revoke_token)
    const fingerprint = ctx.services.secretBox.mac('visitor-words', JSON.stringify([ctx.ip, { ...fields, source_url }]))
    const columns = { ...submissionFields({ ...fields, source: { url: source_url } }), channel: 'public' as const }
    const submission = { fields: columns, revokeTokenHash: hashToken(revoke_token), fingerprint }
    const row = await ctx.deferredAccess.authorizeWith((publicAccess) => receiveSubmission(ctx.tx, { publicAccess, ...submission }))
    if (row.refusal) throw row.refusal
    return {
      id: row.id,
      state: 'pending' as const,
      created_at: toTimestamp(row.created_at),
      revoke_token: row.is_repeat ? null : revoke_token,
    }
  },
})

export const publicItems = implement(contracts.public.items, {
  list: async ({ ctx, input }) => {
    const { public_key, ...filters } = input
    const { team_id, project_id } = ctx.project
    const page = await listSubmissions(ctx.tx, { team_id, project_id, ...filters }, { publicOnly: true }, (row) =>
      presentItem(row, ctx.services),
    )
    return { ...page, aggregate: presentFigures(ctx.project) }
  },
})

export const publicConsent = implement(contracts.public.consent, {
  revoke: async ({ ctx, input }) => {
    const row = await revokeConsent(ctx.tx, hashToken(input.revoke_token))
    return { id: row.id, consent: presentConsent(row) }
  },
})

/** The response for a bot that filled in the trap field: it looks like a success, but nothing is stored. */
function decoy(revoke_token: string) {
  return { id: makeId(), state: 'pending' as const, created_at: new Date().toISOString(), revoke_token }
}

type ItemRow = Omit<WidgetItemRow, 'truncated' | 'video' | 'author_image'> & {
  team_id: string
  video?: PublicVideoRow | null
  author_image?: string | null
}

/** Presents a public item. Its author's picture is our copy: the address that the team gave would tell that site who visits the page. */
export function presentItem(row: ItemRow, signer: MediaSigner) {
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    body: row.body,
    excerpt: row.excerpt,
    rating: row.rating,
    author: {
      name: row.author_name,
      title: row.author_title,
      company: row.author_company,
      avatar_url: imageUrl(signer, { team_id: row.team_id, owner_id: row.id, version: row.author_image }),
      website_url: row.author_website_url,
    },
    video: row.video ? presentPublicVideo(row.video, signer) : null,
    tags: row.tags,
    featured: row.featured,
    published_at: toTimestamp(row.moderated_at ?? row.updated_at),
  }
}

function presentPublicVideo({ duration_ms, width, height, captions, ...video }: PublicVideoRow, signer: MediaSigner) {
  const links = mediaLinks(signer, video, 'public')
  return {
    playback_url: links.clip,
    poster_url: links.poster,
    duration_ms,
    width,
    height,
    captions: captions.map(({ id, language, label }) => ({ language, label, url: links.captions(id) })),
  }
}

export function presentFigures({ public_count, rated_count, rating_sum }: PublicProjectRow) {
  return { count: public_count, average_rating: rated_count === 0 ? null : Math.round((rating_sum / rated_count) * 100) / 100 }
}
