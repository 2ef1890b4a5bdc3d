/** What each part of the contracts is about, as shown at the head of its operations. */
export const resourceDescriptions = {
  me: 'Who you are, your own personal access tokens, and what you allowed others.',
  teams: 'A team owns everything else. Its members hold a role, its plan says what it may use.',
  members: 'The people on a team and their roles.',
  invitations: 'Links that go by e-mail; whoever has the address that was invited joins the team with one.',
  projects: 'A place that collects feedback, inside a team.',
  publicKeys: 'They identify a project on the public plane and never authorize anything.',
  submissions: 'What visitors and programs leave, with its moderation. Everything arrives pending.',
  webhooks: 'Endpoints that hear of events, what was sent to them, and what came back.',
  events: 'The change feed: the same events that webhooks deliver, kept 30 days.',
  auth: 'How people sign up, in and out. Answers never tell whether an address has an account.',
  public: "For visitors' browsers, from any origin and without a credential: approved and consented items only.",
} as const
