import type { AnalyticsOverview, EndpointStats, NpsAnalytics, QuestionResults, SurveyResults } from '@earshot/contracts'
import { sizes } from '@earshot/contracts/constants'
import stringWidth from 'fast-string-width'
import { type Colour, type Paint, painter } from './paint.ts'
import { cut, oneLine } from './printable.ts'
import { sparkline } from './sparkline.ts'
import { PIPED_WIDTH, type Terminal } from './terminal.ts'

type Nps = NonNullable<QuestionResults['nps']>
type Choice = NonNullable<QuestionResults['choices']>[number]

const BAR_WIDTH = 30
const MAX_LABEL_WIDTH = 30
const HOUR_MS = 3_600_000
/** Of a line in the figures of an endpoint. */
const MAX_SPARKS = 60
const FIGURE_WIDTH = 8
const LABEL_WIDTH = 8

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

/** Draws the attempts to reach an endpoint, their failures and their durations over the hours, beside the figure of all hours and the highest. */
export function drawEndpointStats({ from, to, totals, series, backlog }: EndpointStats, terminal: Terminal): string {
  const { paint, width } = styleOf(terminal)
  const room = Math.max(8, Math.min(MAX_SPARKS, width - LABEL_WIDTH - 2 * FIGURE_WIDTH - 8))
  const hoursEach = Math.ceil(series.length / room)
  const sparks = Math.ceil(series.length / hoursEach)
  const line = (name: string, drawn: string, figures: (string | number | null)[], colour?: Colour) => {
    const padded = drawn.padEnd(Math.max(sparks, 8))
    return `  ${name.padEnd(LABEL_WIDTH)}  ${colour ? paint(colour, padded) : padded}  ${figures.map((figure) => String(figure ?? '-').padStart(FIGURE_WIDTH)).join('')}`
  }
  const row = (name: string, field: 'attempts' | 'failed' | 'p50_ms' | 'p95_ms' | 'p99_ms', colour?: Colour) => {
    const numbers = series.map((hour) => hour[field])
    const highest = Math.max(...numbers.map((number) => number ?? 0))
    return line(name, sparkline(grouped(numbers, hoursEach)), [totals[field], totals[field] === null ? null : highest], colour)
  }
  return joined([
    `${utc(from)} to ${utc(to)} UTC, ${count(series.length, 'hour')}${hoursEach > 1 ? `, the highest of ${hoursEach} in each block` : ''}`,
    '',
    line('', '', ['all', 'peak/h']),
    row('attempts', 'attempts'),
    row('failed', 'failed', 'red'),
    row('p50 ms', 'p50_ms'),
    row('p95 ms', 'p95_ms'),
    row('p99 ms', 'p99_ms'),
    '',
    ...outcomes(totals),
    waiting(backlog),
  ])
}

function outcomes({ attempts, failed, retried, final, success_share, causes }: EndpointStats['totals']): string[] {
  if (success_share === null) return ['  no attempts']
  const share = `  ${Number((success_share * 100).toFixed(2))} % of ${count(attempts, 'attempt')} succeeded`
  if (failed === 0) return [share]
  const found = Object.entries(causes).flatMap(([cause, number]) => (number > 0 ? [`${cause} ${number}`] : []))
  return [share, `  ${failed} failed: ${retried} retried, ${final} final; ${found.join(', ')}`]
}

function waiting({ pending, oldest_due_at }: EndpointStats['backlog']): string {
  const many = `${pending === sizes.countedDeliveries ? 'at least ' : ''}${count(pending, 'delivery', 'deliveries')} pending`
  return oldest_due_at === null ? `  ${many}` : `  ${many}, the first due since ${utc(oldest_due_at, 'seconds')} UTC`
}

/** The highest number of each so many. */
function grouped(numbers: readonly (number | null)[], size: number): (number | null)[] {
  return Array.from({ length: Math.ceil(numbers.length / size) }, (_, index) => {
    const found = numbers.slice(index * size, (index + 1) * size).filter((number) => number !== null)
    return found.length === 0 ? null : Math.max(...found)
  })
}

/** 2026-11-20T09:30:00.000Z as 2026-11-20 09:30. */
function utc(timestamp: string, to: 'minutes' | 'seconds' = 'minutes'): string {
  return timestamp.slice(0, to === 'minutes' ? 16 : 19).replace('T', ' ')
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
  const labelWidth = Math.max(...labels.map((text) => stringWidth(text)))
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

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
