import type { api } from '../api.ts'
import type { Import } from './words.ts'

type Input = Parameters<typeof api.imports.create>[0]

/** What people choose about an import, as it is typed. */
export interface Options {
  mapping: NonNullable<Input['mapping']>
  date_order: Import['date_order']
  rating_scale: Import['rating_scale']
  dedupe_by: Import['dedupe_by']
  mode: Import['mode']
  suppress_events: boolean
  consents: boolean
  consentText: string
}

/** The options with which a file was checked. */
export function optionsOf({ mapping, date_order, rating_scale, dedupe_by, mode, suppress_events, consent }: Import): Options {
  return {
    // Proven: the service gives back what this input takes.
    mapping: mapping as Options['mapping'],
    ...{ date_order, rating_scale, dedupe_by, mode, suppress_events },
    consents: consent?.granted ?? false,
    consentText: consent?.text ?? '',
  }
}

/** The fields of the request for these options. */
export function inputOf({ mapping, date_order, rating_scale, dedupe_by, mode, suppress_events, consents, consentText }: Options) {
  return {
    ...{ target: 'testimonials' as const, mapping, mode, suppress_events },
    ...(date_order !== null && { date_order }),
    ...(rating_scale !== null && { rating_scale }),
    ...(dedupe_by !== null && { dedupe_by }),
    ...(consents && { consent: { granted: true, text: consentText.trim() || null } }),
  }
}

export function isSameChoice(one: Options, other: Options): boolean {
  const plain = ({ mapping, ...rest }: Options) => JSON.stringify([Object.entries(mapping).toSorted(), rest])
  return plain(one) === plain(other)
}
