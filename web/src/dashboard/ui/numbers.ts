const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, roundingMode: 'floor' })
const wholePercent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' })
const score = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

/** A share from 0 to 1 as a percentage, never rounded up to all. */
export function percentText(share: number): string {
  return percent.format(share)
}

/** How much of something is done, from 0 to 1, in whole percent, never rounded up. */
export function progressText(share: number): string {
  return wholePercent.format(share)
}

/** A Net Promoter Score with its sign, so that it is not taken for a percentage. */
export function npsText(value: number): string {
  return score.format(value)
}
