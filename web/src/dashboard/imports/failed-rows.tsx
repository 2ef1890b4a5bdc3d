import { csvCell } from '@earshot/contracts/constants'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/download.ts'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Section } from '../ui/page.tsx'
import { TableHolder } from '../ui/table-holder.tsx'
import { toastFailure } from '../ui/toasts.tsx'
import { failedRowsQuery } from './imports-query.ts'
import { problemInWords } from './problems.ts'
import { countOf, type Import } from './words.ts'

const PAGE = 100

/** The rows that cannot be imported, with the reason of each, to be put right in the file. */
export function FailedRows({ one }: { one: Import }) {
  const ref = useProjectRef()
  const query = useInfiniteQuery(failedRowsQuery(ref, one.id))
  const download = useMutation({
    mutationFn: async () => saveFile(`failed rows of ${one.file_name}`, 'text/csv', await readAll({ ...ref, import_id: one.id })),
    onError: toastFailure,
  })
  return (
    <Section
      title={one.dry_run ? 'Rows that would fail' : 'Rows that failed'}
      lead={`${countOf(one.totals.failed, 'row')}. Put them right in the file and import it again: what is here already is skipped.`}
      actions={
        <Button icon="export" isBusy={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      }
    >
      <Loaded query={query}>
        {({ pages }) => (
          <TableHolder label="Rows with their problems">
            <table>
              <thead>
                <tr>
                  <th scope="col" className="number">
                    Row
                  </th>
                  <th scope="col">Column</th>
                  <th scope="col">Problem</th>
                  <th scope="col">Value in the file</th>
                </tr>
              </thead>
              <tbody>
                {pages
                  .flatMap(({ results }) => results)
                  .map(({ id, row, line, column, detail, text }) => (
                    <tr key={id}>
                      <td className="number" title={`Line ${line} of the file`}>
                        {row}
                      </td>
                      <td dir="auto">{column ?? '–'}</td>
                      <td dir="auto">{problemInWords({ column, detail })}</td>
                      <td className="row-text" dir="auto">
                        {text ?? <span className="soft">Hidden from viewers</span>}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </TableHolder>
        )}
      </Loaded>
      <More query={query} />
    </Section>
  )
}

async function readAll(ref: { team_id: string; project_id: string; import_id: string }): Promise<string[]> {
  const lines = ['row,line,column,problem,text\r\n']
  for await (const { row, line, column, detail, text } of api.imports.rows.list({ ...ref, limit: PAGE }))
    lines.push(`${[row, line, column ?? '', problemInWords({ column, detail }), text ?? ''].map(cellOf).join(',')}\r\n`)
  return lines
}

function cellOf(value: string | number): string {
  return `"${csvCell(String(value)).replaceAll('"', '""')}"`
}
