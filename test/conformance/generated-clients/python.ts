import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { run } from '../command.ts'
import { preparePython } from '../python.ts'
import { type Generator, lastLines, textOf } from './generated.ts'

/** Its client.py passes `object` to httpx, whatever the document says. */
const MYPY = `[mypy]
strict = True
mypy_path = FOLDER
[mypy-generated.client]
ignore_errors = True
`

const PROGRAM = `
from uuid import UUID

from generated import AuthenticatedClient
from generated.api.submissions import submissions_list
from generated.models import ErrorCode, EventSelector, MfaRecoveryCodes, SubmissionList, SubmissionState

client = AuthenticatedClient(base_url="https://feedback.example", token="svc_")
page = submissions_list.sync(UUID(int=1), UUID(int=2), client=client, state=SubmissionState.PENDING)
if isinstance(page, SubmissionList):
    words: list[str | None] = [submission.body for submission in page.results]
kinds = (ErrorCode.STATE_CONFLICT, EventSelector.ALL, MfaRecoveryCodes)
`

export const generatePython: Generator = async ({ document, folder }) => {
  const programs = await preparePython()
  // The generator formats with ruff, which it finds by its name.
  const environment = { PATH: `${programs}:${process.env.PATH}` }
  const generated = join(folder, 'generated')
  const options = ['--meta', 'none', '--output-path', generated, '--fail-on-warning']
  const made = await run(join(programs, 'openapi-python-client'), ['generate', '--path', document, ...options], { environment })
  if (made.exitCode !== 0 || /warning/i.test(made.output)) return lastLines(made.output)
  writeFileSync(join(folder, 'program.py'), PROGRAM)
  writeFileSync(join(folder, 'mypy.ini'), MYPY.replace('FOLDER', folder))
  const settings = ['--config-file', join(folder, 'mypy.ini'), '--cache-dir', join(folder, '.mypy_cache')]
  const checked = await run(join(programs, 'mypy'), [...settings, generated, join(folder, 'program.py')])
  if (checked.exitCode !== 0) return lastLines(checked.output)
  return { text: textOf(generated) + modulesOf(join(generated, 'api')), declares: (id) => new RegExp(`^module ${id}$`, 'm') }
}

/** Each operation is a module of its own, of the same name. */
function modulesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.map((file) => `module ${basename(file, '.py')}`).join('\n')
}
