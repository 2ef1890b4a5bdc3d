/** A share from 0 to 1 as a percentage, never rounded up to all. */
export const percentText = formatter({ style: 'percent', maximumFractionDigits: 1, roundingMode: 'floor' })

/** How much of something is done, from 0 to 1, in whole percent, never rounded up. */
export const progressText = formatter({ style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' })

/** A Net Promoter Score with its sign, so that it is not taken for a percentage. */
export const npsText = formatter({ maximumFractionDigits: 1, signDisplay: 'exceptZero' })

const largeCount = formatter({})

/** A whole number of something, from 0. Few have a thousand: the first page of most people needs no format, and no time to make one. */
export function countText(count: number): string {
  return count < 1_000 ? String(count) : largeCount(count)
}

/** The format is made with its first use: that can take a browser tens of milliseconds. */
function formatter(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined
  return (value) => {
    format ??= new Intl.NumberFormat('en', options)
    return format.format(value)
  }
}
