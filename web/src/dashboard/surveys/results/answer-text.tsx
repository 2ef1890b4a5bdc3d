import type { QuestionResults } from '../queries.ts'

/** An answer as text; an address as a link that tells the other site nothing. */
export function AnswerText({ type, value }: { type: QuestionResults['type']; value: string }) {
  if (type === 'url' && /^https?:\/\//i.test(value))
    return (
      <a href={value} target="_blank" rel="noreferrer noopener nofollow" className="answer-text">
        {value}
      </a>
    )
  return (
    <p dir="auto" className="answer-text">
      {value}
    </p>
  )
}
