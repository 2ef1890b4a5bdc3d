/** Returns a language tag in its canonical form (RFC 5646 §4.5), so that `EN` and `en` are one; in small letters if it means nothing. */
export function canonicalLanguage(tag: string): string {
  return localeOf(tag)?.toString() ?? tag.toLowerCase()
}

/** Returns the name of a language in itself: `Deutsch` for `de`. A tag that means nothing is its own name. */
export function languageName(tag: string): string {
  // Names are of a language, its script and its region: `of` throws for private use and extensions.
  const plain = localeOf(tag)?.baseName
  if (plain === undefined) return tag
  return new Intl.DisplayNames([plain, 'en'], { type: 'language', fallback: 'code' }).of(plain) ?? tag
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag)
  } catch {
    return null
  }
}
