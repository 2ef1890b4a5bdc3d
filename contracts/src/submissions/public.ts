import { z } from 'zod'
import { sizes } from '../limits.ts'
import { operation } from '../operation.ts'
import { PUBLIC, PUBLIC_PROJECT, PublicKeyRef } from '../paths.ts'
import {
  Body,
  EmailInput,
  HttpUrl,
  Id,
  Language,
  Metadata,
  Name,
  Page,
  Rating,
  Tag,
  Title,
  text,
  timestamp,
} from '../schemas/primitives.ts'
import { Consent, SubmissionKind } from '../schemas/submission.ts'

const Receipt = z
  .object({
    id: Id,
    state: z.literal('pending').meta({ description: 'Always pending: a person decides.' }),
    created_at: timestamp('When it arrived.'),
    revoke_token: z
      .string()
      .nullable()
      .meta({ description: 'Withdraws the consent later. Shown this once; null when the same words had just been received.' }),
  })
  .meta({ id: 'Receipt', description: "The visitor's receipt." })

const PublicItem = z
  .object({
    id: Id,
    kind: SubmissionKind,
    title: z.string().nullable().meta({ description: 'Headline.' }),
    body: z.string().meta({ description: 'The words.' }),
    excerpt: z.string().nullable().meta({ description: 'A verbatim part of the words.' }),
    rating: z.int().nullable().meta({ description: 'Stars, 1 to 5.' }),
    author: z
      .object({
        name: z.string().meta({ description: 'Name of the person.' }),
        title: z.string().nullable().meta({ description: 'What the person is.' }),
        company: z.string().nullable().meta({ description: 'Where the person works.' }),
        avatar_url: z.string().nullable().meta({ description: 'Picture.' }),
        website_url: z.string().nullable().meta({ description: 'Home page.' }),
      })
      .meta({ id: 'PublicAuthor', description: 'Who left the words; never with an address.' }),
    video: z
      .object({
        playback_url: z.string().meta({ description: 'Signed, valid for an hour.' }),
        poster_url: z.string().meta({ description: 'Signed, valid for an hour.' }),
        duration_ms: z.int().meta({ description: 'Length.' }),
        width: z.int().meta({ description: 'Pixels.' }),
        height: z.int().meta({ description: 'Pixels.' }),
      })
      .nullable()
      .meta({ id: 'PublicVideo', description: 'The clip, if there is one.' }),
    tags: z.array(z.string()).meta({ description: 'Labels.' }),
    featured: z.boolean().meta({ description: 'Whether the team singled it out.' }),
    published_at: timestamp('When it was approved.'),
  })
  .meta({ id: 'PublicItem', description: 'An approved and consented item.' })

/** What visitors leave, on the public plane. */
export const publicSubmissions = {
  create: operation({
    method: 'POST',
    path: `${PUBLIC_PROJECT}/submissions/`,
    access: 'public',
    authorizesWithWork: true,
    status: 201,
    summary: 'Leave words',
    description:
      'Arrives pending. The same body again from the same address within ten minutes gives the same id and stores nothing new. `website` is a trap for robots: leave it empty.',
    quota: 'submissions',
    input: PublicKeyRef.extend({
      kind: z.literal('text').default('text').meta({ description: 'Words.' }),
      title: Title.nullable().optional().meta({ description: 'Headline.' }),
      body: Body.meta({ description: 'The words.', example: 'Saved us a week.' }),
      rating: Rating.nullable().optional(),
      author: z
        .strictObject({
          name: Name.meta({ description: 'Your name.', example: 'Ada Lovelace' }),
          email: EmailInput.nullable().optional(),
          title: text(200).nullable().optional().meta({ description: 'What you are.', example: 'CTO' }),
          company: text(200).nullable().optional().meta({ description: 'Where you work.', example: 'Analytical Engines' }),
          website_url: HttpUrl.nullable().optional().meta({ description: 'Your home page.' }),
        })
        .meta({ id: 'VisitorInput', description: 'Who leaves the words.' }),
      consent: z
        .strictObject({
          granted: z.boolean().meta({ description: 'Whether you agree to publication.' }),
          text: text(2_000)
            .nullable()
            .optional()
            .meta({ description: 'What you agree to, as it was shown.', example: 'You may publish this.' }),
        })
        .meta({ id: 'VisitorConsentInput', description: 'Your consent to publication.' }),
      language: Language.nullable().optional(),
      source_url: HttpUrl.nullable().optional().meta({ description: 'The page with the form.' }),
      metadata: Metadata.optional(),
      form_token: text(512)
        .nullable()
        .optional()
        .meta({ description: 'From the project, proves when the form was opened.', example: null }),
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
    summary: 'List what is public',
    description: 'Approved and consented items, newest first. `aggregate` counts the whole project, whatever the filters.',
    input: PublicKeyRef.extend({
      ...Page.shape,
      kind: SubmissionKind.optional(),
      tag: Tag.optional().meta({ description: 'Only what carries this tag.' }),
      min_rating: Rating.optional().meta({ description: 'Only what has at least so many stars.' }),
    }),
    output: z
      .object({
        results: z.array(PublicItem),
        next_cursor: z.string().nullable().meta({ description: 'Pass it as `cursor` for the next page; null ends the list.' }),
        aggregate: z
          .object({
            count: z.int().meta({ description: 'Public items of the project.' }),
            average_rating: z.number().nullable().meta({ description: 'Mean of their stars, two decimals; null without any.' }),
          })
          .meta({ id: 'Aggregate', description: 'Figures of the whole project.' }),
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
    description: 'With the revoke_token of the receipt. The item leaves every public payload at once. Repeating it answers the same.',
    errors: ['not_found'],
    input: z.strictObject({ revoke_token: text(128, 1).meta({ description: 'From the receipt.' }) }),
    output: z.object({ id: Id, consent: Consent }).meta({ id: 'RevokedConsent', description: 'The consent as it stands now.' }),
  }),
}
