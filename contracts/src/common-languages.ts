/** BCP 47 tags that forms offer by name; any other can be typed. */
export const commonLanguages = [
  ...['en', 'de', 'fr', 'es', 'it', 'pt', 'pt-BR', 'nl', 'pl', 'cs', 'sv', 'da', 'nb', 'fi', 'el', 'hu', 'ro', 'uk'],
  ...['tr', 'ar', 'he', 'fa', 'hi', 'id', 'vi', 'th', 'ko', 'ja', 'zh-Hans', 'zh-Hant'],
] as const
