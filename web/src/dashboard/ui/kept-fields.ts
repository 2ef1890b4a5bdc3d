import { keep, readKept } from '../kept.ts'

/** Returns what this tab keeps of a form: only fields that the form still has, with values of their type. */
export function readFields<Fields extends object>(key: string, known: Fields): Partial<Fields> {
  const types = new Map(Object.entries(known).map(([name, value]) => [name, typeof value]))
  const kept = Object.entries(parse(readKept('session', key))).filter(([name, value]) => typeof value === types.get(name))
  // Proven: names and types were compared.
  return Object.fromEntries(kept) as Partial<Fields>
}

/** Keeps a form for this tab, as long as it differs from how it begins. */
export function keepFields<Fields extends object>(key: string, fields: Fields, initial: Fields): void {
  keep('session', key, isSame(fields, initial) ? null : JSON.stringify(fields))
}

export function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function parse(text: string | null): object {
  const value: unknown = JSON.parse(text ?? 'null')
  return typeof value === 'object' && value !== null ? value : {}
}
