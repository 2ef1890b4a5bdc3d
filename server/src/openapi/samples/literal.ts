/** Characters in a line of a sample. */
export const LINE_WIDTH = 100

/** How a language writes a value. */
interface Syntax {
  /** What indents a line by one level. */
  indent: string
  key: (name: string) => string
  text: (value: string) => string
  /** Braces of an object on one line. */
  braces: readonly [open: string, close: string]
  words: Readonly<Record<string, string>>
}

export const JAVASCRIPT: Syntax = {
  indent: '  ',
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name)),
  text: singleQuoted,
  braces: ['{ ', ' }'],
  words: { true: 'true', false: 'false', null: 'null' },
}

export const PYTHON: Syntax = {
  indent: '    ',
  key: (name) => JSON.stringify(name),
  text: (value) => JSON.stringify(value),
  braces: ['{', '}'],
  words: { true: 'True', false: 'False', null: 'None' },
}

/** Writes a JSON value as a literal: on one line where it fits behind `before` characters, else a field or an item on each line. */
export function literalOf(value: unknown, syntax: Syntax, { before = 0, margin = '' } = {}): string {
  const line = onOneLine(value, syntax)
  if (typeof value !== 'object' || value === null || line.length + before <= LINE_WIDTH) return line
  const inner = margin + syntax.indent
  const at = (prefix: string, child: unknown) =>
    `${inner}${prefix}${literalOf(child, syntax, { before: inner.length + prefix.length + 1, margin: inner })},\n`
  if (Array.isArray(value)) return `[\n${value.map((item) => at('', item)).join('')}${margin}]`
  return `{\n${Object.entries(value)
    .map(([name, child]) => at(`${syntax.key(name)}: `, child))
    .join('')}${margin}}`
}

function onOneLine(value: unknown, syntax: Syntax): string {
  if (typeof value === 'string') return syntax.text(value)
  if (Array.isArray(value)) return `[${value.map((item) => onOneLine(item, syntax)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return syntax.words[String(value)] ?? String(value)
  const fields = Object.entries(value).map(([name, child]) => `${syntax.key(name)}: ${onOneLine(child, syntax)}`)
  return fields.length === 0 ? '{}' : `${syntax.braces[0]}${fields.join(', ')}${syntax.braces[1]}`
}

function singleQuoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
