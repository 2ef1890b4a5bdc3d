import { fill, language } from '../page-data.ts'

const KILOBYTE = 1_000

/** The texts of the recorder, and of what a video needs on the form. */
export type RecorderTexts = typeof import('../../locales/en.json')['recorder']

/** "0:23", as players write it everywhere. */
export function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** "1.9 MB" in the digits of the language. */
export function sizeOf(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const index = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KILOBYTE)))
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: units[index] ?? 'byte', maximumFractionDigits: index > 1 ? 1 : 0 })
  return format.format(bytes / KILOBYTE ** index)
}

export function shareOf(part: number): string {
  return new Intl.NumberFormat(language, { style: 'percent' }).format(part)
}

/** Explains why there is no upload. */
export function uploadFailure(
  code: string | null,
  { texts, project, maxBytes }: { texts: RecorderTexts; project: string; maxBytes: number | null },
): string {
  if (code === 'quota_exceeded' || code === 'feature_not_in_plan') return fill(texts.quota, { project })
  if (code === 'body_too_large' && maxBytes !== null) return fill(texts.tooLarge, { size: sizeOf(maxBytes) })
  return texts.failed
}
