const author = { name: 'Grace Hopper', title: 'Rear Admiral', company: 'Analytical Engines' }
const words = { body: 'It saved us a week.', rating: 5, author, consent: { granted: true } }
const question = { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?' }
const receiver = { url: 'https://hooks.example.com/earshot', events: ['submission.created', 'submission.approved'] }

/** What examples send beside what their operations require, so that they look like requests of real programs. */
const chosen: Record<string, Record<string, unknown>> = {
  'me.update': { timezone: 'Europe/London' },
  'me.notifications.update': { pending: 'instant' },
  'me.tokens.create': { name: 'Nightly report', scopes: ['read:submissions', 'read:analytics'] },
  'teams.create': { name: 'Analytical Engines' },
  'teams.update': { settings: { timezone: 'Europe/London', nps_low_score_threshold: 6 } },
  'teams.auditLog.list': { action: 'submission.approved' },
  'auth.signUp': { name: 'Grace Hopper' },
  'invitations.create': { role: 'member' },
  'projects.create': { name: 'Website', website_url: 'https://www.example.com' },
  'projects.update': { thank_you_text: 'Thank you for your words.' },
  'publicKeys.create': { label: 'Website' },
  'submissions.list': { state: 'approved', min_rating: 4 },
  'submissions.export': { state: 'approved' },
  'submissions.create': { kind: 'text', ...words, tags: ['onboarding'], metadata: { order: 'A-1001' } },
  'submissions.update': { tags: ['onboarding', 'support'] },
  'submissions.reject': { expected_state: 'pending', reason: 'Off topic.' },
  'submissions.approve': { expected_state: 'pending' },
  'tags.update': { name: 'getting started' },
  'testimonials.create': { ...words, featured: true, excerpt: 'saved us a week' },
  'testimonials.update': { featured: true },
  'surveys.create': { name: 'After the first week', questions: [question] },
  'surveys.update': { name: 'After the second week' },
  'videos.draft.update': words,
  'videos.reserve': { file_name: 'praise.webm', content_type: 'video/webm', size_bytes: 1_048_576 },
  'imports.create': { target: 'testimonials', file_name: 'testimonials.csv', dry_run: true },
  'widgets.create': { name: 'Wall of the home page', layout: 'wall', max_items: 12 },
  'widgets.update': { max_items: 6 },
  'webhooks.create': receiver,
  'webhooks.update': { max_per_second: 10 },
  'webhooks.test': { type: 'submission.approved' },
  'webhooks.attempts.list': { outcome: 'failed' },
  'events.list': { types: ['submission.approved'] },
  'events.stream': { types: ['submission.approved'] },
  'public.submissions.create': { ...words, author: { name: author.name } },
  'public.uploads.reserve': { file_name: 'praise.webm', content_type: 'video/webm', size_bytes: 1_048_576 },
  'public.items.list': { min_rating: 4 },
}

/** Returns the fields that the example of an operation sends of its own accord. */
export function chosenInput(name: string): Record<string, unknown> {
  return { ...chosen[name] }
}

/** Returns the names of the operations that such fields are chosen for. */
export const chosenNames = Object.keys(chosen)
