import { fieldErrors } from '../../ui/error-text.ts'
import type { Problems } from './checks.ts'
import type { Draft } from './draft.ts'

type ByQuestion = ReadonlyMap<string, Problems>

const FIELD = /^questions\.(\d+)\.(.+)$/

/** Returns what the service refused, by the key of the question: `questions.1.title` is the title of the second. */
export function refusalsOf(error: unknown, { questions }: Draft): ByQuestion {
  const found = new Map<string, Map<string, string>>()
  for (const [field, detail] of fieldErrors(error)) {
    const [, index, path] = FIELD.exec(field) ?? []
    const key = questions[Number(index)]?.key
    if (key === undefined || path === undefined) continue
    const ofQuestion = found.get(key) ?? new Map<string, string>()
    found.set(key, ofQuestion.set(path, detail))
  }
  return found
}

/** Joins problems of both sides. Those of this page come first: they say more. */
export function together(ours: ByQuestion, theirs: ByQuestion): ByQuestion {
  const keys = new Set([...ours.keys(), ...theirs.keys()])
  return new Map([...keys].map((key) => [key, new Map([...(theirs.get(key) ?? []), ...(ours.get(key) ?? [])])]))
}
