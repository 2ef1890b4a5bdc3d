import { expect, test } from 'vitest'
import { late, utf8 } from './encodings.ts'
import { files } from './files.ts'
import { fixture, opening, problemOf, readAll } from './read.ts'

test.each(files.map((file, index) => ({ ...file, title: `${file.name} (${index + 1})` })))(
  '$title is read as it is meant',
  async (file) => {
    const { format, rows } = await readAll(opening((file.encode ?? utf8)(fixture(file.name))), { mapping: file.mapping ?? {} })
    const { preset, encoding, delimiter, dateOrder } = format
    const read = { encoding: 'utf-8', delimiter: ',', dateOrder: null, ...file.read }
    expect({ preset, encoding, delimiter, dateOrder, rows: rows.length }).toEqual(read)
    const errors = rows.flatMap((row) => {
      const problem = problemOf(row)
      return problem ? [[row.row, `${problem.column}: ${problem.code}: ${problem.detail}`]] : []
    })
    expect(Object.fromEntries(errors)).toEqual(file.errors ?? {})
    const always = { metadata: {}, consent: { granted: false }, source: {}, consent_revoked_at: null }
    if (file.first) expect(rows[0]?.content).toEqual({ record: { ...always, ...file.first } })
  },
)

test('the first umlaut may come late, in any encoding', async () => {
  for (const encode of [late, (text: string) => Buffer.from(late(text).toString(), 'latin1')]) {
    const { rows } = await readAll(opening(encode(fixture('late-umlaut.csv'))))
    expect(rows.at(-1)?.content).toMatchObject({ record: { body: 'Endlich schön' } })
  }
})

test('a file in UTF-8 with an emoji cut in half is still UTF-8', async () => {
  const cut = Buffer.from('🎉').subarray(0, 2)
  const bytes = Buffer.concat([Buffer.from('name,text\nJürgen,schön\nBjörk,'), cut, Buffer.from('\nÜmit,läuft\n')])
  const { format, rows } = await readAll(opening(bytes))
  expect(format.encoding).toBe('utf-8')
  expect(rows.map(({ content }) => 'record' in content && content.record.body)).toEqual(['schön', '\u{FFFD}', 'läuft'])
})
