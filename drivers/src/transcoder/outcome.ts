import type { ConfinedEnd } from './confined-process.ts'
import type { FinalReport } from './media-child.ts'
import { TranscodeError } from './transcoder.ts'

type ReportOf<Event extends FinalReport['event']> = Extract<FinalReport, { event: Event }>

/** Returns the report that a task ends with. Throws `TranscodeError` when the child ended without one. */
export function requireReport<Event extends FinalReport['event']>(
  { report, end }: { report: FinalReport | null; end: ConfinedEnd },
  event: Event,
): ReportOf<Event> {
  if (report?.event === 'refused') throw new TranscodeError(report.code, report.message)
  if (report?.event === 'failed') throw new TranscodeError('failed', report.message)
  requireExit(end)
  if (!isReport(report, event)) throw new TranscodeError('failed', 'The child ended without a result.')
  return report
}

/** Throws `TranscodeError` when a process did not end with the code 0. */
export function requireExit(end: ConfinedEnd): void {
  if (end.reason === 'memory') throw new TranscodeError('out_of_memory', 'The transcode took too much memory.')
  if (end.reason === 'timeout') throw new TranscodeError('timeout', 'The transcode took too long.')
  if (end.reason !== 'exit') throw new TranscodeError('closed', 'The transcode was ended.')
  // Who stops the service can end all its processes at once, as systemd does.
  if (end.killedBy === 'SIGTERM') throw new TranscodeError('closed', 'The transcode was ended from outside.')
  if (end.killedBy === 'SIGXCPU') throw new TranscodeError('timeout', 'The transcode took too much processor time.')
  if (end.code === 0) return
  const status = end.killedBy ?? `code ${end.code}`
  throw new TranscodeError('failed', `The process ended with ${status}: ${end.errors.trim().slice(-500)}`)
}

function isReport<Event extends FinalReport['event']>(report: FinalReport | null, event: Event): report is ReportOf<Event> {
  return report?.event === event
}
