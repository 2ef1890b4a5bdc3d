/** Flags that take no value, of those that stand before the arguments of a tool. */
const WITHOUT_VALUE = ['--debug', '--print', '--paginate', '--include', '--no-browser', '--with-token', '--json']

/** Returns the words with `--team=x` as one: bash makes three of it. */
export function joinedWords(words: readonly string[]): string[] {
  const result: string[] = []
  for (const word of words) {
    const before = result.at(-1) ?? ''
    if (before.startsWith('--') && (word === '=' || before.endsWith('='))) result.push(`${result.pop()}${word}`)
    else result.push(word)
  }
  return result
}

/** Returns the value of a flag, in the form `--team x` or `--team=x`; undefined without the flag. */
export function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1)
}

/** Returns the words that are neither flags nor their values. */
export function plainWords(words: readonly string[]): string[] {
  const isValueOf = (flag = '') => flag.startsWith('--') && !flag.includes('=') && !WITHOUT_VALUE.includes(flag)
  return words.filter((word, index) => !word.startsWith('-') && !isValueOf(words[index - 1]))
}
