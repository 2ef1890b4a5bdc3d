import { run } from './command.ts'

/** Lints the served document with Redocly's strictest rules; redocly.yaml names the one exception. */
export async function checkDocument(documentUrl: string): Promise<string | null> {
  const { exitCode } = await run('redocly', ['lint', '--config', 'redocly.yaml', documentUrl], {
    environment: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    isShown: true,
  })
  return exitCode === 0 ? null : 'the document has findings'
}
