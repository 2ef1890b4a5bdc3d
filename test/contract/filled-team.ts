import { allowClient } from '../support/credentials.ts'
import { beginSession, type Team } from '../support/people.ts'
import type { TestService } from '../support/test-service.ts'

/** Makes records for every list of a team. */
export async function fillTeam(service: TestService, team: Team): Promise<void> {
  const client = service.client(team.token)
  const consent_granted = true
  const { id: submission_id } = await team.submit({
    title: 'A week',
    rating: 5,
    author_company: 'Analytical Engines',
    consent_granted,
    tags: ['onboarding'],
  })
  await team.submit({ kind: 'testimonial', body: 'Support answers within minutes.', author_name: 'Grace', consent_granted })
  await client.submissions.approve({ ...team.project, submission_id })
  await client.webhooks.create({ team_id: team.id, url: 'https://hooks.example.com/earshot', events: ['submission.approved'] })
  const questions = [{ ref: 'recommend', type: 'nps' as const, title: 'How likely are you to recommend us?' }]
  await client.surveys.create({ ...team.project, name: 'After the first week', questions })
  await client.imports.create({ ...team.project, target: 'testimonials', file_name: 'testimonials.csv', csv: 'name,text\nAda,Fine.\n' })
  await client.videos.reserve({ ...team.project, file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 1_048_576 })
  await client.widgets.create({ ...team.project, name: 'Wall of the home page', layout: 'wall' })
  await client.invitations.create({ team_id: team.id, email: `${crypto.randomUUID()}@example.com`, role: 'member' })
  await beginSession(service.database, team.ownerId)
  await allowClient(service.database, team.ownerId)
}

/** Answers an active survey with a score of each group. */
export async function answerSurvey(service: TestService, team: Team, survey_id: string): Promise<void> {
  const { surveys, responses } = service.client(team.token)
  const survey = await surveys.retrieve({ ...team.project, survey_id })
  const question = survey.questions.find(({ type }) => type === 'nps')
  if (survey.status !== 'active' || !question) return
  for (const value of [10, 9, 4]) {
    await responses.create({
      ...team.project,
      survey_id,
      answers: [{ question_id: question.id, value }],
      respondent: { name: 'Ada', email: 'ada@example.com' },
    })
  }
}

/** Approves a new submission, of which endpoints are told. */
export async function approveOne(service: TestService, team: Team): Promise<void> {
  const { id: submission_id } = await team.submit()
  await service.client(team.token).submissions.approve({ ...team.project, submission_id })
}
