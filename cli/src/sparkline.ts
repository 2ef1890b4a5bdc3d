const BLOCKS = '▁▂▃▄▅▆▇█'

/**
 * Draws numbers as a line of blocks, as high as their share of the highest one; what is 0 or null is blank. The package for this,
 * sparkly, is as short, shows 0 as a block, and brings the colours of chalk, of which the command needs none.
 */
export function sparkline(numbers: readonly (number | null)[]): string {
  const highest = Math.max(...numbers.map((number) => number ?? 0))
  return numbers.map((number) => (number ? BLOCKS.charAt(Math.ceil((number / highest) * BLOCKS.length) - 1) : ' ')).join('')
}
