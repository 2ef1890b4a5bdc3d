const SEVERITY = /^.*?\b(FATAL|PANIC|ERROR|error):\s*/

/** Returns the line in which PostgreSQL's programs say why they failed, without its time and severity. */
export function findFailureReason(output: string): string {
  const lines = output.trim().split('\n')
  const reason = lines.findLast((line) => SEVERITY.test(line)) ?? lines.at(-1) ?? ''
  return reason.replace(SEVERITY, '').trim() || 'it gave no reason'
}
