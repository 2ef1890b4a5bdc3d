/** A tag in quotation marks, which may hold commas, or one without. */
const TAG = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/y

/** Returns tags as a person edits them: `press, "slow, but good"`. */
export function textOfTags(tags: readonly string[]): string {
  return tags.map((tag) => (/[",]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ')
}

/** Returns the tags of such a text. */
export function tagsOf(text: string): string[] {
  const tags: string[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < text.length) {
    const [, quoted, bare = ''] = TAG.exec(text) ?? []
    tags.push(quoted?.replaceAll('""', '"') ?? bare.trim())
  }
  return tags.filter(Boolean)
}
