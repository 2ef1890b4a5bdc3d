import { type AnswerValue, isShown } from '@earshot/contracts/constants'
import { type CSSProperties, useEffect, useId, useState } from 'react'
import { useProject } from '../../shell/places.ts'
import { Button } from '../../ui/button.tsx'
import { directionOf, languageName } from '../languages.ts'
import type { Draft, DraftQuestion } from './draft.ts'
import { PreviewAnswer } from './preview-answer.tsx'
import { inLanguage } from './texts.ts'

interface PreviewProps {
  draft: Draft
  openKey: string | undefined
  language: string | undefined
  onLanguage: (language: string | undefined) => void
  onOpen: (key: string | undefined) => void
}

type Answers = ReadonlyMap<string, AnswerValue>

/** What respondents see, one question at a time, with conditions that work. It shows the question that is edited. */
export function Preview({ draft, openKey, language, onLanguage, onOpen }: PreviewProps) {
  const shownLanguage = language !== undefined && language in draft.translations ? language : draft.language
  const { questions, thankYouText } = inLanguage(draft, shownLanguage)
  const [answers, setAnswers] = useState<Answers>(new Map())
  const [shownKey, setShownKey] = useState<string | 'end' | undefined>(openKey)
  const [mustAnswer, setMustAnswer] = useState(false)
  useEffect(() => {
    if (openKey !== undefined) setShownKey(openKey)
  }, [openKey])
  const asked = askedOf(questions, answers)
  const question = shownKey === 'end' ? undefined : (questions.find(({ key }) => key === shownKey) ?? asked[0])
  const go = (key: string) => {
    setMustAnswer(false)
    setShownKey(key)
    if (key !== 'end' && openKey !== undefined) onOpen(key)
  }
  const at = question ? questions.indexOf(question) : questions.length
  const before = asked.findLast((one) => questions.indexOf(one) < at)
  const next = () => {
    if (question && isMissing(question, answers)) setMustAnswer(true)
    else go(asked.find((one) => questions.indexOf(one) > at)?.key ?? 'end')
  }
  const restart = () => {
    setAnswers(new Map())
    go(questions[0]?.key ?? 'end')
  }
  return (
    <section aria-label="Preview" className="preview">
      <PreviewHead draft={draft} language={shownLanguage} onLanguage={onLanguage} onRestart={restart} />
      <Phone
        language={shownLanguage}
        share={asked.length === 0 ? 0 : asked.filter((one) => questions.indexOf(one) < at).length / asked.length}
      >
        {question && !asked.includes(question) && <p className="preview-hidden">The answers so far skip this question.</p>}
        {question ? (
          <PreviewQuestion
            key={question.key}
            question={question}
            answer={answers.get(question.key)}
            mustAnswer={mustAnswer}
            onAnswer={(value) => setAnswers(withAnswer(answers, question.key, value))}
          />
        ) : (
          <p className="preview-end" dir="auto">
            {questions.length === 0 ? 'Your questions appear here.' : thankYouText.trim() || 'Thank you'}
          </p>
        )}
        <footer>
          {before && questions.length > 0 && (
            <Button look="quiet" onClick={() => go(before.key)}>
              Back
            </Button>
          )}
          {question && (
            <Button look="primary" onClick={next}>
              {asked.at(-1) === question ? 'Send' : 'Next'}
            </Button>
          )}
        </footer>
      </Phone>
    </section>
  )
}

interface PreviewHeadProps extends Pick<PreviewProps, 'draft' | 'onLanguage'> {
  language: string
  onRestart: () => void
}

function PreviewHead({ draft, language, onLanguage, onRestart }: PreviewHeadProps) {
  const languages = [draft.language, ...Object.keys(draft.translations)]
  return (
    <header>
      <h2>Preview</h2>
      {languages.length > 1 && (
        <select
          aria-label="Language of the preview"
          value={language}
          onChange={(event) => onLanguage(event.target.value === draft.language ? undefined : event.target.value)}
        >
          {languages.map((tag) => (
            <option key={tag} value={tag}>
              {languageName(tag)}
            </option>
          ))}
        </select>
      )}
      <Button look="quiet" icon="refresh" onClick={onRestart}>
        Start again
      </Button>
    </header>
  )
}

/** The frame in the colour of the project. */
function Phone({ language, share, children }: { language: string; share: number; children: React.ReactNode }) {
  const { theme } = useProject()
  // Proven: React passes custom properties on.
  const brand = { '--brand': theme.color ?? undefined } as CSSProperties
  return (
    <div className="phone branded" style={theme.color ? brand : undefined} lang={language} dir={directionOf(language)}>
      <div className="phone-progress" style={{ inlineSize: `${Math.round(share * 100)}%` }} />
      {children}
    </div>
  )
}

interface PreviewQuestionProps {
  question: DraftQuestion
  answer: AnswerValue | undefined
  mustAnswer: boolean
  onAnswer: (value: AnswerValue | undefined) => void
}

function PreviewQuestion({ question, answer, mustAnswer, onAnswer }: PreviewQuestionProps) {
  const titleId = useId()
  return (
    <div className="preview-question">
      <p id={titleId} className="preview-title" dir="auto">
        {question.title.trim() || 'Untitled question'}
        {question.isRequired && (
          <abbr title="required" aria-label="required">
            *
          </abbr>
        )}
      </p>
      {question.description.trim() && (
        <p className="preview-description" dir="auto">
          {question.description}
        </p>
      )}
      <PreviewAnswer question={question} answer={answer} labelledBy={titleId} onAnswer={onAnswer} />
      {mustAnswer && (
        <p className="field-error" role="alert">
          An answer is required.
        </p>
      )}
    </div>
  )
}

/** Returns the questions that the answers so far ask, as the service decides it. */
function askedOf(questions: readonly DraftQuestion[], answers: Answers): DraftQuestion[] {
  const given = new Map<string, AnswerValue>()
  return questions.filter(({ key, ref, condition }) => {
    const isAsked = isShown({ show_if: condition }, given)
    const answer = answers.get(key)
    if (isAsked && answer !== undefined) given.set(ref, answer)
    return isAsked
  })
}

function isMissing({ key, type, isRequired }: DraftQuestion, answers: Answers): boolean {
  const answer = answers.get(key)
  return type !== 'statement' && isRequired && (answer === undefined || (type === 'consent' && answer === false))
}

/** An empty answer is none. */
function withAnswer(answers: Answers, key: string, value: AnswerValue | undefined): Answers {
  const others = new Map(answers)
  others.delete(key)
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? others : others.set(key, value)
}
