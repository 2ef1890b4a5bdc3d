import type { QuestionInput } from '@earshot/contracts'
import type { PastResponse, SurveyRow } from '@earshot/db'
import { comments, spoken } from './comments.ts'
import { createDice, daysAgo, idAt } from './place.ts'
import { respondentOf } from './respondents.ts'

/** Twelve of these are not quite a year: figures of a year have them all. */
const MONTH_DAYS = 30.3
const MONTHS = 12
/** Responses of each month, oldest first: about 400. */
const RESPONSES = [28, 30, 31, 29, 33, 34, 32, 36, 35, 38, 37, 39]
/** Shares of promoters and detractors in the first month and in the last one: scores of about 20 and 60. */
const PROMOTERS = [0.42, 0.67]
const DETRACTORS = [0.22, 0.07]
const LANGUAGES = ['en', 'en', 'en', 'de', 'en', 'fr', 'en', 'es']
const SCORES = { promoter: [10, 9, 10, 9, 10], passive: [8, 7, 8], detractor: [6, 4, 5, 2, 6, 3, 0] }
/** How many of a group one writes of. */
const WRITES_ONE_IN = { promoter: 8, passive: 7, detractor: 4 }

type Group = keyof typeof SCORES

const plain = { description: null, show_if: null } as const
const questions: QuestionInput[] = [
  {
    ...{ ...plain, ref: 'recommend', type: 'nps', title: 'How likely are you to recommend Northlight to a colleague?', required: true },
    ...{ low_label: 'Not at all likely', high_label: 'Extremely likely' },
  },
  { ...plain, ref: 'why', type: 'long_text', title: 'What is the main reason for your score?', required: false, max_length: 2_000 },
]

export const npsSurvey = {
  name: 'How are we doing?',
  language: 'en',
  thank_you_text: 'Thank you. Somebody from our team reads every word.',
  questions,
  translations: {
    de: {
      questions: {
        recommend: { title: 'Wie wahrscheinlich ist es, dass Sie Northlight weiterempfehlen?' },
        why: { title: 'Was ist der wichtigste Grund für Ihre Bewertung?' },
      },
    },
    es: {
      questions: {
        recommend: { title: '¿Qué probabilidad hay de que recomiende Northlight?' },
        why: { title: '¿Cuál es la razón principal de su puntuación?' },
      },
    },
    fr: {
      questions: {
        recommend: { title: 'Recommanderiez-vous Northlight à un collègue ?' },
        why: { title: 'Quelle est la principale raison de votre note ?' },
      },
    },
  },
}

/** Returns a year of responses, oldest first: the score rises, and some say why. */
export function npsResponses({ questions }: SurveyRow): PastResponse[] {
  const [recommend, why] = questions
  const dice = createDice(20)
  const given: Record<Group, number> = { promoter: 0, passive: 0, detractor: 0 }
  return RESPONSES.flatMap((count, month) =>
    groupsOf(month, count).map((group, index): PastResponse => {
      const number = given[group]
      given[group] += 1
      const [language, words] = wordsOf(group, number) ?? [LANGUAGES[Math.floor(dice() * LANGUAGES.length)] ?? 'en']
      const score = SCORES[group][number % SCORES[group].length] ?? 8
      const arrived = daysAgo((MONTHS - month - (index + dice()) / count) * MONTH_DAYS)
      return {
        ...{ id: idAt(arrived), channel: 'public', respondent: respondentOf(dice), hidden: { page: '/rota' } },
        language,
        started_at: new Date(Date.now() - 8_000 - Math.floor(dice() * (words === undefined ? 20_000 : 90_000))).toISOString(),
        answers: [
          { question_id: recommend?.id ?? '', value: score },
          ...(words === undefined ? [] : [{ question_id: why?.id ?? '', value: words }]),
        ],
      }
    }),
  )
}

/** The groups of a month's responses, mixed as evenly as they go. */
function groupsOf(month: number, count: number): Group[] {
  const at = ([first = 0, last = 0]: readonly number[]) => first + ((last - first) * month) / (MONTHS - 1)
  const places: { group: Group; place: number }[] = []
  const add = (group: Group, total: number) => {
    for (let index = 0; index < total; index += 1) places.push({ group, place: (index + 0.5) / total })
  }
  const promoters = Math.round(count * at(PROMOTERS))
  const detractors = Math.round(count * at(DETRACTORS))
  add('promoter', promoters)
  add('detractor', detractors)
  add('passive', count - promoters - detractors)
  return places.sort((a, b) => a.place - b.place).map(({ group }) => group)
}

/** Spreads the comments of a group over the year: whoever is unhappy writes more often. */
function wordsOf(group: Group, number: number): readonly [language: string, words: string] | undefined {
  const comment = number % WRITES_ONE_IN[group] === 0 ? comments[group][number / WRITES_ONE_IN[group]] : undefined
  return comment === undefined ? undefined : spoken(comment)
}
