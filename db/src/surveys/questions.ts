import { ApiError, type FieldError, type Question, type QuestionInput } from '@earshot/contracts'

/**
 * Gives each question its id: that of the current question with the given `id`, else with the same `ref` and type, else a new
 * one. Throws `validation_error` for an id that is not a current question's, is given twice, or has another type.
 */
export function withIds(given: readonly QuestionInput[], current: readonly Question[], makeId: () => string): Question[] {
  const byId = new Map(current.map((question) => [question.id, question]))
  const byRef = new Map(current.map((question) => [question.ref, question]))
  const named = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, { id, type }] of given.entries()) {
    if (id === undefined) continue
    const detail = problemOf(byId.get(id), type, named.has(id))
    if (detail) errors.push({ field: `questions.${index}.id`, code: 'custom', detail })
    named.add(id)
  }
  if (errors.length > 0) throw new ApiError('validation_error', { errors })
  return given.map((question) => {
    const same = byRef.get(question.ref)
    const isSame = same !== undefined && same.type === question.type && !named.has(same.id)
    const id = question.id ?? (isSame ? same.id : makeId())
    return { ...question, id }
  })
}

function problemOf(question: Question | undefined, type: string, isTwice: boolean): string | undefined {
  if (!question) return 'is not a question of this survey'
  if (isTwice) return 'is the id of another question of the list'
  return question.type === type ? undefined : `is a question of type ${question.type}`
}
