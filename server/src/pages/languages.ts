import { commonLanguages } from '@earshot/contracts'

const names = new Intl.DisplayNames('en', { type: 'language' })

/** The English names of common languages by their tags. */
export const languageNames: ReadonlyMap<string, string> = new Map(commonLanguages.map((tag) => [tag, names.of(tag) ?? tag]))
