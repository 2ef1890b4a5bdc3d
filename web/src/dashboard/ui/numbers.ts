/** A share from 0 to 1 as a percentage, never rounded up to all. */
export const percentText = formatter({ style: 'percent', maximumFractionDigits: 1, roundingMode: 'floor' })

/** How much of something is done, from 0 to 1, in whole percent, never rounded up. */
export const progressText = formatter({ style: 'percent', maximumFractionDigits: 0, roundingMode: 'floor' })

/** A Net Promoter Score with its sign, so that it is not taken for a percentage. */
export const npsText = formatter({ maximumFractionDigits: 1, signDisplay: 'exceptZero' })

const largeCount = formatter({})

/** A count, such as 1,234. Below 1,000 it needs no format, which would take time on the first page. */
export function countText(count: number): string {
  return count < 1_000 ? String(count) : largeCount(count)
}

/** The format is made with its first use, because that can take a browser tens of milliseconds. */
function formatter(options: Intl.NumberFormatOptions): (value: number) => string {
  let format: Intl.NumberFormat | undefined
  return (value) => {
    format ??= new Intl.NumberFormat('en', options)
    return format.format(value)
  }
}
