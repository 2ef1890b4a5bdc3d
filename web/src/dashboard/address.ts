type Defined<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** Leaves out what has no value, so that it does not appear in the address. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  // Proven: only fields with a value are kept.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}

/** A text of the address, which is read as JSON: digits come as a number. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
}

/** Reads one thing that an address may open, such as `?create=true`. */
export function readFlag<Name extends string>(name: Name): (search: Record<string, unknown>) => { [Key in Name]?: true } {
  // Proven: the only key is the name.
  return (search) => (search[name] === true ? { [name]: true } : {}) as { [Key in Name]?: true }
}

/** Takes nothing of an address but what its reader returns. The router would keep the rest, unread, beside it. */
export function only<Search extends object>(read: (search: Record<string, unknown>) => Search) {
  return (search: Record<string, unknown>): Search => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  })
}
