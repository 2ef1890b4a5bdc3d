const FIRST_PAGES = 'teams and projects are made, the first ones as well'
const SURVEY = 'a survey goes from a draft to its NPS'
const WIDGET = 'widgets: a member makes one with a preview, changes it and copies its line'
const IMPORT = 'a file of another service is mapped, looked at, imported and undone'
const WEBHOOK = 'a failing webhook is found and replayed'
const TEAM_SETTINGS = 'team settings are checked and saved, and usage is shown'

/** The flow that uses each page of the dashboard in the core ring and checks it there with axe, by the path of the page in the router. */
export const coreFlows: Readonly<Record<string, string>> = {
  '/': FIRST_PAGES,
  '/$team/': FIRST_PAGES,
  '/$team/-/teams/new': FIRST_PAGES,
  '/$team/-/projects/new': FIRST_PAGES,
  '/$team/-/webhooks': WEBHOOK,
  '/$team/-/webhooks/$webhook': WEBHOOK,
  '/$team/-/events': 'an event appears live and is expunged',
  '/$team/-/audit-log': 'the audit log says who changed what',
  '/$team/-/members': 'people are invited, get other roles and leave',
  '/$team/-/usage': TEAM_SETTINGS,
  '/$team/-/privacy': 'a person is exported and erased by e-mail address',
  '/$team/-/settings': TEAM_SETTINGS,
  '/$team/$project/inbox': 'the queue is read and decided by keyboard alone',
  '/$team/$project/testimonials': 'testimonials: a member adds one, and it is public',
  '/$team/$project/videos': 'videos: a member uploads one, watches it, adds captions and deletes it',
  '/$team/$project/surveys': SURVEY,
  '/$team/$project/surveys/$survey/edit': SURVEY,
  '/$team/$project/surveys/$survey/results': SURVEY,
  '/$team/$project/surveys/$survey/responses': SURVEY,
  '/$team/$project/analytics': 'analytics: figures, the course of the score and its table',
  '/$team/$project/widgets': WIDGET,
  '/$team/$project/widgets/$widget': WIDGET,
  '/$team/$project/imports': IMPORT,
  '/$team/$project/imports/$import': IMPORT,
  '/$team/$project/first-steps': 'a new project is led to its first approved feedback',
  '/$team/$project/tags': 'tags: a page lists, renames, merges and deletes them',
  '/$team/$project/settings': 'project settings keep what is typed and say what is wrong',
}

/** Returns the pages that a flow has to check, and has not; `checked` are the paths at which it did. */
export function uncheckedPages(flow: string, checked: readonly string[]): string[] {
  const own = Object.keys(coreFlows).filter((page) => coreFlows[page] === flow)
  return own.filter((page) => !checked.some((path) => patternOf(page).test(path)))
}

/** A segment that the address fills, such as `$team`, is never the `-` of a team's own pages. */
function patternOf(page: string): RegExp {
  return new RegExp(`^/app${page.replaceAll(/\$\w+/g, '(?!-/)[^/]+').replace(/\/$/, '/?')}$`)
}
