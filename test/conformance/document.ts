import { run } from './command.ts'

/** Redocly's strictest rules over the document as it is served; redocly.yaml names the one rule that is excepted. */
export async function judgeDocument(documentUrl: string): Promise<string | null> {
  const { exitCode } = await run('redocly', ['lint', '--config', 'redocly.yaml', documentUrl], {
    environment: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    isShown: true,
  })
  return exitCode === 0 ? null : 'the document has findings'
}
