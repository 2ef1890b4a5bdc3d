import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useSurveyRef } from '../queries.ts'
import { type listInput, queryOf } from './list-input.ts'

/** Downloads the responses that the list shows. The browser does it, so any number of them fits. */
export function ExportMenu({ input }: { input: ReturnType<typeof listInput> }) {
  const { team_id, project_id, survey_id } = useSurveyRef()
  const download = (format: 'csv' | 'ndjson') => {
    const link = document.createElement('a')
    link.href = `/api/v1/teams/${team_id}/projects/${project_id}/surveys/${survey_id}/responses/export/?${queryOf(input, format)}`
    link.download = `responses-${survey_id}.${format}`
    link.click()
  }
  const isNarrowed = Object.keys(input).length > 0
  return (
    <Menu
      className="btn"
      trigger={
        <>
          <Icon name="export" />
          Export
        </>
      }
    >
      <h3>{isNarrowed ? 'The responses that fit the filters' : 'All responses'}</h3>
      <MenuItem icon="export" onSelect={() => download('csv')}>
        CSV, for spreadsheets
      </MenuItem>
      <MenuItem icon="export" onSelect={() => download('ndjson')}>
        NDJSON, for programs
      </MenuItem>
    </Menu>
  )
}
