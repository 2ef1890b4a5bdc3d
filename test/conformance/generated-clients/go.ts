import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../command.ts'
import { installGoProgram, runGo, runWithGo } from '../go.ts'
import { type Generator, lastLines, pascalCase, textOf } from './generated.ts'

const PROGRAM = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'
const VERSION = 'v2.8.2'
/** The module of the client: the versions of what generated code imports. */
const MODULE = join(TOP, 'test/conformance/generated-clients/go')

const USE = `package generated

import (
	"context"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

// First returns the first pending submission of a project, and the code of an error.
func First(ctx context.Context, client *ClientWithResponses, team, project openapi_types.UUID) (*Submission, ErrorCode, error) {
	state := SubmissionStatePending
	response, err := client.SubmissionsListWithResponse(ctx, team, project, &SubmissionsListParams{State: &state})
	if err != nil || response.JSON200 == nil {
		return nil, ErrorCodeStateConflict, err
	}
	return &response.JSON200.Results[0], "", nil
}

// All selects every event.
var All = []EventSelector{EventSelectorAll}

// Codes are those of a second factor.
var Codes MfaRecoveryCodes
`

/** Resolves to the path of the generator. */
export function installGenerator(): Promise<string> {
  return installGoProgram(PROGRAM, VERSION)
}

export const generateGo: Generator = async ({ document, folder }) => {
  const generator = await installGenerator()
  cpSync(MODULE, folder, { recursive: true })
  const output = join(folder, 'client.gen.go')
  const made = await runWithGo(generator, ['-generate', 'types,client', '-package', 'generated', '-o', output, document])
  if (made.exitCode !== 0 || /warn/i.test(made.output)) return lastLines(made.output)
  writeFileSync(join(folder, 'use.go'), USE)
  const problem = await runGo(folder, ['vet', './...'])
  return problem ?? { text: textOf(folder), declares: (id) => new RegExp(`^func \\(c \\*Client\\) ${pascalCase(id)}(WithBody)?\\(`, 'm') }
}
