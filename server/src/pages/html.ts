const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text that is safe in a page. Only the tag below creates it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | null | undefined | false

/** Creates a piece of a page. Escapes every value, for text and for quoted attributes, unless it is a piece itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((string, index) => string + textOf(values[index])).join(''))
}

/** JSON inside a script element ends at the first `</script`, wherever that is, so no `<` is left in it. */
export function scriptData(value: object): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
}

function textOf(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
