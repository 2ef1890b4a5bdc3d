import { z } from 'zod'
import { durations } from '../durations.ts'
import { sizes } from '../limits.ts'
import { operation } from '../operation.ts'
import { PUBLIC, PUBLIC_PROJECT, PublicKeyRef } from '../paths.ts'
import { EmailInput, HttpUrl, Id, Name, Page, Rating, Tag, text, timestamp } from '../schemas/primitives.ts'
import { Consent, newSubmission, SubmissionKind } from '../schemas/submission.ts'

const Receipt = z
  .object({
    id: Id,
    state: z.literal('pending').meta({ description: 'State at the submission: always pending.' }),
    created_at: timestamp('Time of submission.'),
    revoke_token: z
      .string()
      .nullable()
      .meta({ description: 'Token for withdrawing consent later. It is shown only once; null if the same text was already received.' }),
  })
  .meta({ id: 'Receipt', description: 'Confirmation of a submission, for the visitor.' })

export const PublicItem = z
  .object({
    id: Id,
    kind: SubmissionKind,
    title: z.string().nullable().meta({ description: 'Headline.' }),
    body: z.string().meta({ description: 'The text.' }),
    excerpt: z.string().nullable().meta({ description: 'A verbatim part of the text.' }),
    rating: z.int().nullable().meta({ description: 'Stars, 1 to 5.' }),
    author: z
      .object({
        name: z.string().meta({ description: 'Name of the person.' }),
        title: z.string().nullable().meta({ description: 'Job title of the person.' }),
        company: z.string().nullable().meta({ description: 'Company of the person.' }),
        avatar_url: z.string().nullable().meta({ description: 'Address of a copy of the picture at this service; null without one.' }),
        website_url: z.string().nullable().meta({ description: 'Website of the person.' }),
      })
      .meta({ id: 'PublicAuthor', description: 'The author, without e-mail address.' }),
    video: z
      .object({
        playback_url: z.string().meta({ description: 'Signed address of the video, valid for an hour.' }),
        poster_url: z.string().meta({ description: 'Signed address of a still image, valid for an hour.' }),
        duration_ms: z.int().meta({ description: 'Duration.' }),
        width: z.int().meta({ description: 'Width in pixels.' }),
        height: z.int().meta({ description: 'Height in pixels.' }),
        captions: z
          .array(
            z
              .object({
                language: z.string().meta({ description: 'BCP 47 language tag.', example: 'en' }),
                label: z.string().meta({ description: 'Name for people.', example: 'English' }),
                url: z.string().meta({ description: 'Signed address of the WebVTT file, valid for an hour.' }),
              })
              .meta({ id: 'PublicCaption', description: 'Captions of the video.' }),
          )
          .meta({ description: 'Captions, by language.' }),
      })
      .meta({ id: 'PublicVideo', description: 'A video as visitors see it.' })
      .nullable()
      .meta({ description: 'The video, if any.' }),
    tags: z.array(z.string()).meta({ description: 'Tags.' }),
    featured: z.boolean().meta({ description: 'Whether the team featured it.' }),
    published_at: timestamp('Time of approval.'),
  })
  .meta({ id: 'PublicItem', description: 'A published submission: approved, with consent.' })

export const Aggregate = z
  .object({
    count: z.int().meta({ description: 'Number of public items.' }),
    average_rating: z.number().nullable().meta({ description: 'Average rating, with two decimals; null without ratings.' }),
  })
  .meta({ id: 'Aggregate', description: 'Figures for the whole project.' })

/** Submissions of visitors, on the public plane. */
export const publicSubmissions = {
  create: operation({
    method: 'POST',
    path: `${PUBLIC_PROJECT}/submissions/`,
    access: 'public',
    authorizesWithWork: true,
    status: 201,
    summary: 'Submit feedback',
    description: `The submission is pending until a person moderates it. Repeating the same text from the same IP address within ${durations.duplicateSubmissionMinutes} minutes returns the same id and stores nothing new. Leave \`website\` empty: it detects bots.`,
    quota: 'submissions',
    input: PublicKeyRef.extend({
      ...newSubmission,
      author: z
        .strictObject({
          name: Name.meta({ description: 'Your name.', example: 'Ada Lovelace' }),
          email: EmailInput.nullable().optional(),
          title: text(200).nullable().optional().meta({ description: 'Your job title.', example: 'CTO' }),
          company: text(200).nullable().optional().meta({ description: 'Your company.', example: 'Analytical Engines' }),
          website_url: HttpUrl.nullable().optional().meta({ description: 'Your website.' }),
        })
        .meta({ id: 'VisitorInput', description: 'The visitor.' }),
      consent: z
        .strictObject({
          granted: z.boolean().meta({ description: 'Whether you consent to publication.' }),
          text: text(2_000)
            .nullable()
            .optional()
            .meta({ description: 'The consent text as it was shown.', example: 'You may publish this.' }),
        })
        .meta({ id: 'VisitorConsentInput', description: 'Your consent to publication.' }),
      source_url: HttpUrl.nullable().optional().meta({ description: 'The page with the form.' }),
      form_token: text(512)
        .nullable()
        .optional()
        .meta({ description: 'The `form_token` of the project. It proves when the form was opened.', example: null }),
      website: text(sizes.urlCharacters).nullable().optional().meta({ description: 'Leave it empty.', example: '' }),
    }),
    output: Receipt,
  }),
}

/** Approved and consented submissions, on the public plane. */
export const publicItems = {
  list: operation({
    method: 'GET',
    path: `${PUBLIC_PROJECT}/items/`,
    access: 'public',
    summary: 'List public items',
    description: 'Lists approved submissions with consent, newest first. `aggregate` counts the whole project, regardless of filters.',
    input: PublicKeyRef.extend({
      ...Page.shape,
      kind: SubmissionKind.optional(),
      tag: Tag.optional().meta({ description: 'Only items with this tag.' }),
      min_rating: Rating.optional().meta({ description: 'Only items with at least this rating.' }),
    }),
    output: z
      .object({
        results: z.array(PublicItem),
        next_cursor: z.string().nullable().meta({ description: 'Pass it as `cursor` to get the next page. Null on the last page.' }),
        aggregate: Aggregate,
      })
      .meta({ id: 'PublicItemList', description: 'A page of public items, newest first.' }),
  }),
}

/** A visitor's consent, on the public plane. */
export const publicConsent = {
  revoke: operation({
    method: 'POST',
    path: `${PUBLIC}/consent/revoke/`,
    access: 'public',
    summary: 'Withdraw your consent',
    description:
      'Takes the `revoke_token` of the receipt. The item is no longer public, at once. Repeating the request returns the same response.',
    errors: ['not_found'],
    input: z.strictObject({ revoke_token: text(128, 1).meta({ description: 'The `revoke_token` of the receipt.' }) }),
    output: z.object({ id: Id, consent: Consent }).meta({ id: 'RevokedConsent', description: 'The consent after withdrawal.' }),
  }),
}
