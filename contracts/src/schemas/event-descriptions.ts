/** Every event of the specification, with its meaning. */
export const eventDescriptions = {
  'submission.created': 'A submission arrived through any channel. It is still pending.',
  'submission.approved': 'A person approved a submission. With consent, it is now public.',
  'submission.rejected': 'A person rejected a submission.',
  'testimonial.created': 'The team created a testimonial, by API, MCP or import.',
  'survey.response.created': 'A survey or NPS response was recorded.',
  'nps.low_score': 'An NPS score is below the threshold of the team.',
  'video.ready': 'A video is transcoded and a moderator can watch it. It is not public.',
  'import.completed': 'A CSV import finished.',
  'team.member.added': 'A person joined the team.',
  'team.invitation.created': 'An invitation was sent.',
  'user.profile.updated': 'The profile of a member changed.',
  'webhook.endpoint.disabled': 'The service disabled a webhook endpoint that kept failing.',
  'webhook.delivery.exhausted': 'A delivery failed for good. No attempt follows.',
} as const
export const eventTypes = Object.keys(eventDescriptions) as [keyof typeof eventDescriptions, ...(keyof typeof eventDescriptions)[]]
