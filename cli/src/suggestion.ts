import { listOperations } from './operation.ts'

const MAX_SUGGESTIONS = 3

/**
 * Adds to a message about an unknown command what was meant, where commander has no suggestion: the start of a noun, a noun below
 * another, or a verb of another noun.
 */
export function withSuggestion(message: string): string {
  const word = /^error: unknown command '([\w-]+)'\n/.exec(message)?.[1]
  if (word === undefined) return message
  const commands = listOperations().map(({ words }) => words)
  const nouns = [...new Set(commands.map(([noun = '']) => noun))].filter((noun) => noun.startsWith(word))
  const verbs = commands.filter((words) => words.at(-1) === word).map((words) => words.join(' '))
  const nested = commands.filter((words) => words.length > 2).map((words) => words.slice(0, -1))
  if (nouns.length === 0) nouns.push(...new Set(nested.filter((words) => isNear(words.at(-1) ?? '', word)).map((words) => words.join(' '))))
  const meant = (nouns.length > 0 ? nouns : verbs).slice(0, MAX_SUGGESTIONS)
  return meant.length === 0 ? message : `${message}(Did you mean ${meant.map((words) => `earshot ${words}`).join(', ')}?)\n`
}

/** Whether two words differ in one place: by a letter or two. */
function isNear(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return one.length - start - end <= 2 && other.length - start - end <= 2
}
