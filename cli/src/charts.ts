import type { AnalyticsOverview, NpsAnalytics, QuestionResults, SurveyResults } from '@earshot/contracts'
import stringWidth from 'string-width'
import { type Colour, type Paint, painter } from './paint.ts'
import { cut, oneLine } from './printable.ts'
import { PIPED_WIDTH, type Terminal } from './terminal.ts'

type Nps = NonNullable<QuestionResults['nps']>
type Choice = NonNullable<QuestionResults['choices']>[number]

const BAR_WIDTH = 30
const MAX_LABEL_WIDTH = 30
const HOUR_MS = 3_600_000

/** Draws the results of a survey, question by question. */
export function drawResults({ survey_version, responses, from, to, questions }: SurveyResults, terminal: Terminal): string {
  const style = styleOf(terminal)
  const range = from === null && to === null ? '' : `, ${from ?? '…'} to ${to ?? '…'}`
  const head = `${count(responses, 'response')}, questions of version ${survey_version}${range}`
  return joined([head, ...questions.flatMap((question) => ['', ...questionChart(question, style)])])
}

/** Draws the Net Promoter Score of a project and its course. Periods without answers are left out. */
export function drawNps({ from, to, timezone, series, ...nps }: NpsAnalytics, terminal: Terminal): string {
  const most = Math.max(...series.map(({ answered }) => answered))
  const periods = series.flatMap(({ start, score, answered }) => {
    if (score === null) return []
    return [`  ${start}  ${score.toFixed(1).padStart(6)}  ${bar('█', (100 * answered) / most).padEnd(BAR_WIDTH)}  ${answered}`]
  })
  const head = `NPS ${nps.score ?? '–'} of ${count(nps.answered, 'answer')}, ${from} to ${to} (${oneLine(timezone)})`
  return joined([head, ...groups(nps, styleOf(terminal)), ...(periods.length > 0 ? ['', ...periods] : [])])
}

/** Draws the figures of a range beside those of the range before, and the days on which something arrived. */
export function drawOverview({ timezone, current, previous, days }: AnalyticsOverview): string {
  const rows = figuresOf(current).map(([name, value], index) => [name, value, figuresOf(previous)[index]?.[1] ?? ''] as const)
  const widths = [0, 1, 2].map((column) => Math.max(8, ...rows.map((row) => (row[column] ?? '').length)))
  const line = ([name, ...values]: readonly string[]) =>
    `  ${(name ?? '').padEnd(widths[0] ?? 0)}${values.map((value, index) => `  ${value.padStart(widths[index + 1] ?? 0)}`).join('')}`
  const busy = days.filter(({ submissions, responses }) => submissions > 0 || responses > 0)
  return joined([
    `${current.from} to ${current.to}, compared with ${previous.from} to ${previous.to} (${oneLine(timezone)})`,
    '',
    line(['', 'now', 'before']),
    ...rows.map(line),
    ...(busy.length > 0 ? [''] : []),
    ...busy.map(({ day, submissions, responses }) => `  ${day}  ${count(submissions, 'submission')}, ${count(responses, 'response')}`),
  ])
}

function figuresOf({ submissions, responses, nps }: AnalyticsOverview['current']): [string, string][] {
  const { total, state, kind, channel, average_rating, average_ms_to_moderation: averageMs } = submissions
  const hours = averageMs === null ? null : (averageMs / HOUR_MS).toFixed(1)
  const figures = {
    ...{ submissions: total, ...state, public: submissions.public, ...kind },
    ...{ 'by visitors': channel.public, 'average rating': average_rating, 'hours to moderation': hours },
    ...{ responses, NPS: nps.score },
  }
  return Object.entries(figures).map(([name, value]) => [name, value === null ? '-' : String(value)])
}

function questionChart({ title, answered, choices, average, nps, quantiles, texts }: QuestionResults, style: Style): string[] {
  const facts = [count(answered, 'answer'), ...(average === null ? [] : [`average ${average}`])]
  if (nps && nps.score !== null) facts.push(`NPS ${nps.score}`)
  return [
    cut(oneLine(title), style.width),
    `  ${facts.join(', ')}`,
    ...(nps ? groups(nps, style) : []),
    ...(choices ? histogram(choices) : []),
    ...(quantiles
      ? [
          `  ${Object.entries(quantiles)
            .map(([name, value]) => `${name} ${value}`)
            .join('   ')}`,
        ]
      : []),
    ...(texts?.results ?? []).map(({ value }) => cut(`  “${oneLine(value)}”`, style.width)),
  ]
}

/** One bar for each choice, as long as its share. */
function histogram(choices: readonly Choice[]): string[] {
  const labels = choices.map(({ label }) => cut(oneLine(label), MAX_LABEL_WIDTH))
  const labelWidth = Math.max(...labels.map(stringWidth))
  const digits = Math.max(...choices.map((choice) => String(choice.count).length))
  return choices.map(({ count, percent }, index) => {
    const label = labels[index] ?? ''
    const gap = ' '.repeat(labelWidth - stringWidth(label))
    return `  ${label}${gap}  ${bar('█', percent).padEnd(BAR_WIDTH)}  ${String(count).padStart(digits)}  ${percent ?? 0} %`
  })
}

/** Promoters, passives and detractors as one bar, and in figures. */
function groups({ answered, promoters_percent, passives_percent, detractors_percent, ...nps }: Nps, style: Style): string[] {
  if (answered === 0) return []
  const parts: [string, Colour, string, number, number | null][] = [
    ['█', 'green', 'promoters', nps.promoters, promoters_percent],
    ['▒', 'yellow', 'passives', nps.passives, passives_percent],
    ['░', 'red', 'detractors', nps.detractors, detractors_percent],
  ]
  const whole = parts.map(([sign, colour, , , percent]) => style.paint(colour, bar(sign, percent)))
  const figures = parts.map(([sign, colour, name, number, percent]) => `${style.paint(colour, sign)} ${name} ${number} (${percent} %)`)
  return [`  ${whole.join('')}`, `  ${figures.join('   ')}`]
}

interface Style {
  paint: Paint
  /** Characters in a line. */
  width: number
}

function styleOf(terminal: Terminal): Style {
  return { paint: painter(terminal), width: terminal.columns ?? PIPED_WIDTH }
}

function joined(lines: string[]): string {
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

/** A share that is not 0 has a bar that can be seen. */
function bar(sign: string, percent: number | null): string {
  if (!percent) return ''
  return sign.repeat(Math.max(1, Math.round((percent / 100) * BAR_WIDTH)))
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
