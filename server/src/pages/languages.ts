/** Offered on forms; any other BCP 47 tag can be typed. */
const COMMON = [
  ...['en', 'de', 'fr', 'es', 'it', 'pt', 'pt-BR', 'nl', 'pl', 'cs', 'sv', 'da', 'nb', 'fi', 'el', 'hu', 'ro', 'uk'],
  ...['tr', 'ar', 'he', 'fa', 'hi', 'id', 'vi', 'th', 'ko', 'ja', 'zh-Hans', 'zh-Hant'],
]
const names = new Intl.DisplayNames('en', { type: 'language' })

/** The English names of common languages by their tags. */
export const commonLanguages: ReadonlyMap<string, string> = new Map(COMMON.map((tag) => [tag, names.of(tag) ?? tag]))
