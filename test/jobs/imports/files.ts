import type { ImportField } from '@earshot/contracts'
import { bigEndian, type Encode, excelUnicode, excelUtf8, germanExcel, late, mac, named, unmarkedUtf16 } from './encodings.ts'

/** A fixture, and how it must be read. */
export interface File {
  name: string
  encode?: Encode
  mapping?: Record<string, ImportField>
  read: { preset: string | null; encoding?: string; delimiter?: string; rows: number; dateOrder?: 'dmy' | 'mdy' }
  /** Of the first row; what every record has is left out. */
  first?: object
  /** By number of the row. */
  errors?: Record<number, string>
}

const tableRow = {
  body: 'Line one\nline two',
  rating: 5,
  author: { name: 'Zoë Œuvre', email: 'zoe@example.com' },
  source: { collected_at: '2026-11-20T00:00:00.000Z' },
}
const germanMapping = { Kundenstimme: 'body', Bewertung: 'rating', Datum: 'source.collected_at', Firma: 'author.company' } as const
const germanRow = {
  body: 'Spart uns Zeit; jeden Tag – für 5 €',
  rating: 5,
  author: { name: 'Jürgen Groß', email: 'juergen@example.com', company: 'Größe GmbH' },
  source: { collected_at: '2026-11-20T00:00:00.000Z' },
}

export const files: File[] = [
  {
    name: 'senja-full.csv',
    read: { preset: 'senja', rows: 2 },
    first: {
      title: 'A week saved',
      body: 'It saved us a week.\nEvery month.',
      rating: 5,
      metadata: { platform_id: '1745' },
      author: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        title: 'CTO',
        company: 'Analytical Engines',
        avatar_url: 'https://cdn.example.com/ada.png',
        website_url: 'https://ada.example.com',
      },
      source: { provider: 'twitter', url: 'https://x.example.com/ada/1', collected_at: '2026-01-02T10:00:00.000Z' },
      tags: ['onboarding', 'team'],
    },
  },
  {
    name: 'senja-minimal.csv',
    encode: mac,
    read: { preset: 'senja', rows: 2 },
    first: {
      body: 'Never lost a bug report again.',
      rating: 5,
      author: { name: 'Margaret Hamilton', email: 'margaret@example.com', title: 'Engineer' },
      source: { provider: 'G2', url: 'https://g2.example.com/r/9', collected_at: '2026-01-05T00:00:00.000Z' },
      tags: ['space'],
    },
  },
  {
    name: 'senja-faults.csv',
    read: { preset: 'senja', rows: 7 },
    errors: {
      1: 'text: required: body must not be empty',
      2: 'rating: invalid_format: rating must be a rating such as 4, 4/5, 8/10 or ★★★★☆',
      3: 'date: invalid_format: source.collected_at must be a date such as 2026-11-20 or 2026-11-20T09:30:00Z',
      4: 'customer_email: invalid_format: author.email must be an e-mail address',
      5: 'url: invalid_format: source.url must be an http or https URL',
      6: 'null: too_many_cells: the row has more cells than the header',
    },
  },
  {
    name: 'testimonial-to-text.csv',
    read: { preset: 'testimonial_to', rows: 2 },
    first: {
      body: 'Decoded our feedback in a day.',
      rating: 5,
      author: {
        name: 'Alan Turing',
        email: 'alan@example.com',
        title: 'Mathematician',
        company: 'Bletchley',
        avatar_url: 'https://cdn.example.com/alan.png',
      },
      source: { provider: 'testimonial_to', url: 'https://testimonial.example.com/t/1', collected_at: '2026-02-01T09:15:00.000Z' },
      tags: ['fast', 'smart'],
    },
  },
  {
    name: 'testimonial-to-video.csv',
    read: { preset: 'testimonial_to', rows: 2 },
    first: {
      body: 'Substitutes three tools.',
      rating: 5,
      author: { name: 'Barbara Liskov', email: 'barbara@example.com', title: 'Professor' },
      source: { provider: 'testimonial_to', collected_at: '2026-02-01T00:00:00.000Z' },
    },
    errors: { 2: 'Testimonial: required: body must not be empty' },
  },
  {
    name: 'google-takeout.csv',
    read: { preset: 'google', rows: 3 },
    first: {
      body: 'Sehr gut.\n\n(Translated by Google)\nVery good.',
      rating: 5,
      author: { name: 'Anna Schmidt', avatar_url: 'https://lh3.example.com/a/1' },
      source: { provider: 'google', collected_at: '2025-11-20T09:30:00.123Z' },
      external_id: 'AbFvOqk1',
    },
    errors: { 3: 'comment: required: body must not be empty' },
  },
  {
    name: 'google-tool.csv',
    encode: excelUtf8,
    read: { preset: 'google', rows: 2, dateOrder: 'mdy' },
    first: {
      body: 'Best cake on the web',
      rating: 5,
      author: { name: 'Tim Berners', avatar_url: 'https://lh3.example.com/a/2' },
      source: { provider: 'google', url: 'https://maps.example.com/r/1', collected_at: '2025-11-20T09:30:00.000Z' },
      external_id: 'Ci9DQUl1',
    },
  },
  {
    name: 'trustpilot-business.csv',
    encode: bigEndian,
    read: { preset: 'trustpilot', encoding: 'utf-16be', rows: 2 },
    first: {
      title: 'Works',
      body: 'Works on my machine, and on all others.',
      rating: 5,
      language: 'en',
      metadata: { reference_id: 'ORDER-1' },
      author: { name: 'Linus T.', email: 'linus@example.com' },
      source: { provider: 'trustpilot', collected_at: '2025-12-01T08:00:00.000Z' },
      external_id: '65a1',
    },
  },
  {
    name: 'trustpilot-old.csv',
    encode: named,
    read: { preset: 'trustpilot', delimiter: ';', rows: 2 },
    first: {
      title: 'Simple',
      body: 'Simple; and fast',
      rating: 4,
      author: { name: 'Niklaus' },
      source: { provider: 'trustpilot', collected_at: '2024-05-01T08:00:00.000Z' },
      external_id: '65b1',
    },
  },
  {
    name: 'trustpilot-location.csv',
    read: { preset: 'trustpilot', rows: 2 },
    first: {
      body: 'Cracked it.',
      rating: 5,
      language: 'en-GB',
      metadata: { location_name: 'Berlin' },
      author: { name: 'Joan Clarke' },
      source: { provider: 'trustpilot', collected_at: '2023-06-15T00:00:00.000Z' },
      tags: ['counter', 'staff'],
      external_id: '65c1',
    },
    errors: { 2: 'Review Stars: ambiguous_rating: rating is more than 5: say with `rating_scale` what the best rating is' },
  },
  {
    name: 'typeform-one-question.csv',
    read: { preset: 'typeform', rows: 2 },
    first: {
      body: 'You listened, and it shipped.',
      author: { name: 'Hedy', email: 'hedy@example.com' },
      source: { provider: 'typeform', collected_at: '2026-03-01T10:02:11.000Z' },
      tags: ['vip'],
      external_id: 'hefupfubphvacf8sv12ch63vnvacgl4s',
    },
  },
  {
    name: 'typeform-questions.csv',
    mapping: { 'What do you like most?': 'body', 'May we publish this?': 'consent.granted' },
    read: { preset: 'typeform', rows: 2 },
    first: {
      body: 'The export; really',
      author: { name: 'Frances Allen', email: 'frances@example.com' },
      consent: { granted: true },
      source: { provider: 'typeform', collected_at: '2026-03-01T10:02:11.000Z' },
      external_id: 'aa1',
    },
  },
  {
    name: 'typeform-old.csv',
    encode: unmarkedUtf16,
    read: { preset: 'typeform', encoding: 'utf-16le', rows: 1 },
    first: {
      body: 'We moved in an hour.',
      rating: 5,
      author: { name: 'Anonymous' },
      source: { provider: 'typeform', collected_at: '2021-03-01T10:02:11.000Z' },
      external_id: 'bb1',
    },
  },
  {
    name: 'delighted-nps.csv',
    read: { preset: 'delighted', rows: 2 },
    first: {
      body: 'Would recommend to everyone.',
      metadata: { score: '10', permalink: 'https://app.delighted.example.com/r/1', survey_type: 'nps' },
      author: { name: 'Ken Thompson', email: 'ken@example.com' },
      source: { provider: 'delighted', collected_at: '2026-04-01T12:00:00.000Z' },
      tags: ['unix', 'c'],
      external_id: '7001',
    },
    errors: { 2: 'Comment: required: body must not be empty' },
  },
  {
    name: 'delighted-tab.csv',
    read: { preset: 'delighted', delimiter: '\t', rows: 2 },
    first: {
      body: 'Too many ways to do it',
      metadata: { score: '0' },
      author: { name: 'Bjarne', email: 'bjarne@example.com' },
      source: { provider: 'delighted', collected_at: '2026-04-01T10:00:00.000Z' },
      external_id: '8001',
    },
  },
  {
    name: 'earshot-submissions.csv',
    encode: (text) => Buffer.from(`\u{FEFF}${text}`),
    read: { preset: 'earshot', rows: 3 },
    first: {
      title: 'A week saved',
      body: ' Saved us a week.\nReally. ',
      rating: 5,
      language: 'en-GB',
      metadata: { order: 'A-1', n: 1.5, deep: { list: [1, null] } },
      author: {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        title: 'CTO',
        company: 'Analytical Engines',
        avatar_url: 'https://cdn.example.com/ada.png',
        website_url: 'https://ada.example.com',
      },
      consent: { granted: true, text: 'You may publish this.', granted_at: '2026-11-20T09:30:00.000Z' },
      consent_revoked_at: '2026-11-21T09:30:00.000Z',
      source: { provider: 'g2', url: 'https://g2.example.com/r/1', collected_at: '2026-11-19T09:30:00.000Z' },
      tags: ['a,b', 'c'],
      external_id: 'A-1001',
      featured: true,
      excerpt: 'a week',
      position: -1.5,
    },
  },
  {
    name: 'earshot-excel.csv',
    encode: excelUtf8,
    read: { preset: 'earshot', delimiter: ';', rows: 1 },
    first: {
      body: 'Saved us a week.',
      rating: 5,
      author: { name: 'Jörg Müller', email: 'joerg@example.com' },
      consent: { granted: true, granted_at: '2026-11-20T09:30:00.000Z' },
      source: {},
      tags: [],
      external_id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e01',
      featured: false,
    },
  },
  {
    name: 'german-excel.csv',
    encode: germanExcel,
    mapping: germanMapping,
    read: { preset: null, encoding: 'windows-1252', delimiter: ';', rows: 2 },
    first: germanRow,
  },
  {
    name: 'table.csv',
    encode: excelUtf8,
    read: { preset: null, rows: 2, dateOrder: 'dmy' },
    first: { ...tableRow, body: 'Line one\r\nline two' },
  },
  {
    name: 'table.csv',
    encode: excelUnicode,
    read: { preset: null, encoding: 'utf-16le', delimiter: '\t', rows: 2, dateOrder: 'dmy' },
    first: { ...tableRow, body: 'Line one\r\nline two' },
  },
  { name: 'table.csv', encode: mac, read: { preset: null, rows: 2, dateOrder: 'dmy' }, first: { ...tableRow, body: 'Line one\rline two' } },
  {
    name: 'late-umlaut.csv',
    encode: late,
    read: { preset: null, rows: 10_001 },
    first: { body: 'Nothing special here', rating: 4, author: { name: 'Plain' }, source: { collected_at: '2026-01-01T00:00:00.000Z' } },
  },
]
