import { z } from 'zod'
import { ContactEmail, CreatedAt, Id, timestamp, UpdatedAt } from './primitives.ts'
import { QuestionType } from './question.ts'
import { Channel } from './submission.ts'

const Respondent = z
  .object({
    external_id: z.string().nullable().meta({ description: 'Your own id of the person.' }),
    email: ContactEmail,
    name: z.string().nullable().meta({ description: 'Name of the person.' }),
    properties: z.record(z.string(), z.unknown()).meta({ description: 'Your own properties of the person.' }),
  })
  .meta({ id: 'Respondent', description: 'The person who answered.' })

const Answer = z
  .object({
    question_id: Id.meta({ description: 'The question.' }),
    type: QuestionType,
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
      .nullable()
      .meta({ description: 'Text, a number, true or false, or a list of choices, depending on the type of the question.' }),
  })
  .meta({ id: 'Answer', description: 'The answer to one question.' })

export const SurveyResponse = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the record.' }),
    project_id: Id.meta({ description: 'The project of the record.' }),
    survey_id: Id.meta({ description: 'The survey.' }),
    survey_version: z.int().meta({ description: 'The version of the survey that was answered.' }),
    respondent: Respondent,
    answers: z.array(Answer).meta({ description: 'Answers, in the order of the questions.' }),
    nps_score: z.int().nullable().meta({ description: 'The answer to the NPS question, 0 to 10.' }),
    language: z.string().nullable().meta({ description: 'BCP 47 language tag.' }),
    channel: Channel,
    hidden: z.record(z.string(), z.unknown()).meta({ description: 'Hidden fields that the page sent.' }),
    completed_at: timestamp('Time when the last question was answered.').nullable(),
    duration_ms: z.int().nullable().meta({ description: 'Time from the first question to the last.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'SurveyResponse', description: 'The answers of one person to a survey.' })
