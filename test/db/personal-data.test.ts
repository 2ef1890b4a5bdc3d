import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PersonalColumn, personalColumns } from '../../db/src/privacy/registry.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { impersonalColumns } from './impersonal-columns.ts'

/** Types whose values can hold words or addresses. */
const TYPES = ['text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', 'xml', 'bytea', 'inet', 'cidr', 'tsvector', 'hstore', 'citext']

const personal: Record<string, Record<string, PersonalColumn>> = personalColumns

let store: TestDatabase
let columns: string[]
beforeAll(async () => {
  store = await openTestDatabase()
  const { host = '', port = 5432, user = '', password = '', database = '' } = store.address
  // The owner of the server sees the tables of the queue too.
  const sql = postgres({ host, port, user, password, database, max: 1, onnotice: () => {} })
  const rows = await sql<{ column: string }[]>`
    select case when n.nspname = 'public' then '' else n.nspname || '.' end || c.relname || ' ' || a.attname as column
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      join pg_namespace n on n.oid = c.relnamespace
      join pg_type t on t.oid = a.atttypid
      left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
     where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped
       and coalesce(e.typname, t.typname) = any (${TYPES})
     order by 1`
  columns = rows.map(({ column }) => column)
  await sql.end()
})
afterAll(() => store.close())

test('every column of text, JSON or bytes is registered as personal, or as none with the reason', () => {
  const unknown = columns.filter((column) => {
    const [table = '', name = ''] = column.split(' ')
    const impersonal = impersonalColumns[table] ?? {}
    return !(name in (personal[table] ?? {}) || name in impersonal || '*' in impersonal)
  })
  expect(unknown, 'say in db/src/privacy/registry.ts what it holds, and what an export and an erasure do with it').toEqual([])
})

test('no column is registered that is not there, and none twice', () => {
  const registered = Object.entries(personal).flatMap(([table, ofTable]) => Object.keys(ofTable).map((name) => `${table} ${name}`))
  const others = Object.entries(impersonalColumns).flatMap(([table, ofTable]) => Object.keys(ofTable).map((name) => `${table} ${name}`))
  const all = [...registered, ...others.filter((column) => !column.endsWith(' *'))]
  expect(all.filter((column) => !columns.includes(column))).toEqual([])
  expect(all.filter((column, index) => all.indexOf(column) !== index)).toEqual([])
  const whole = others.filter((column) => column.endsWith(' *')).map((column) => column.slice(0, -2))
  expect(whole.filter((table) => !columns.some((column) => column.startsWith(`${table} `)))).toEqual([])
})

test('what is kept or not exported has a reason', () => {
  for (const [table, ofTable] of Object.entries(personal)) {
    for (const [name, { holds, export: exported, erase, because }] of Object.entries(ofTable)) {
      expect(holds, `${table}.${name}`).not.toBe('')
      if (exported === 'none' || erase === 'keep') expect(because, `${table}.${name}`).toMatch(/\w/)
    }
  }
})
