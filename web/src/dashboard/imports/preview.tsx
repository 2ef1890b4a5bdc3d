import { Stars } from '../ui/stars.tsx'
import { TableHolder } from '../ui/table-holder.tsx'
import type { Import } from './words.ts'

type Row = NonNullable<Import['preview']>[number]
const SHOWN_CHARACTERS = 280
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** The first rows as records. */
export function Preview({ rows }: { rows: readonly Row[] }) {
  return (
    <TableHolder label="First rows">
      <table className="preview-rows">
        <thead>
          <tr>
            <th scope="col">Author</th>
            <th scope="col">Text</th>
            <th scope="col">Rating</th>
            <th scope="col">Date</th>
            <th scope="col">Consent</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id yet, and never move
            <PreviewRow key={index} row={row} />
          ))}
        </tbody>
      </table>
    </TableHolder>
  )
}

function PreviewRow({ row: { author, title, body, rating, source, consent, tags } }: { row: Row }) {
  const role = [author.title, author.company].filter(Boolean).join(', ')
  return (
    <tr>
      <td>
        <strong dir="auto">{author.name}</strong>
        {role !== '' && (
          <div className="soft" dir="auto">
            {role}
          </div>
        )}
        {author.email !== null && <div className="soft">{author.email}</div>}
      </td>
      <td dir="auto">
        {title !== null && <strong>{title} </strong>}
        {body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}…` : body}
        {tags.length > 0 && <div className="soft">{tags.join(', ')}</div>}
      </td>
      <td>{rating === null ? '–' : <Stars rating={rating} />}</td>
      <td>{source.collected_at === null ? '–' : day.format(new Date(source.collected_at))}</td>
      <td>{consent.granted ? 'Yes' : 'No'}</td>
    </tr>
  )
}
