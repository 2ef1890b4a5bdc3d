import { type Client, createClient } from '@earshot/contracts/client'
import { makeDataDir } from '../../support/data-dir.ts'
import { freePort } from '../../support/free-port.ts'
import { startService } from '../../support/service-process.ts'
import { consentPath } from '../account-pages.ts'
import { type EmbedHost, openHost } from '../embed-host.ts'

const EMAIL = 'owner@example.com'

/** The demo, in which every page has something to show. */
export interface Place extends AsyncDisposable {
  url: string
  account: { email: string; password: string }
  client: Client
  ref: { team_id: string; project_id: string }
  paths: Record<'team' | 'project' | 'collection' | 'survey' | 'results' | 'widget' | 'wall' | 'consent', string>
  survey_id: string
  /** The id of the widget that is a wall. */
  wall: string
  /** A website on another origin. */
  host: EmbedHost
}

/** Starts a service with the demo's data. */
export async function openPlace(): Promise<Place> {
  const data = makeDataDir()
  const port = await freePort()
  const environment = { EARSHOT_DATA_DIR: data.path, PORT: String(port), EARSHOT_LOG_LEVEL: 'warn' }
  const service = await startService(environment, { args: ['--demo'] })
  const host = await openHost()
  const dispose = async () => {
    host[Symbol.dispose]()
    await service[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  }
  try {
    const url = `http://localhost:${port}`
    const printed = (pattern: RegExp) => pattern.exec(service.output())?.[1] ?? ''
    const client = createClient({ baseUrl: url, token: printed(/EARSHOT_TOKEN=(\S+)/) })
    const account = { email: EMAIL, password: printed(/\(password (\S+)\)/) }
    return { url, account, client, host, ...(await findRecords(client, environment)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function findRecords(
  client: Client,
  environment: Record<string, string>,
): Promise<Pick<Place, 'ref' | 'paths' | 'survey_id' | 'wall'>> {
  const team = first((await client.teams.list()).results)
  const project = first((await client.projects.list({ team_id: team.id })).results)
  const ref = { team_id: team.id, project_id: project.id }
  const { key } = first((await client.publicKeys.list(ref)).results)
  const survey = first((await client.surveys.list(ref)).results.filter(({ name }) => name === 'What do you use?'))
  const nps = first((await client.surveys.list(ref)).results.filter(({ name }) => name === 'How are we doing?'))
  const wall = first((await client.widgets.list(ref)).results.filter(({ layout }) => layout === 'wall'))
  const home = `/app/${team.slug}/${project.slug}`
  const paths = {
    ...{
      team: `/app/${team.slug}/-`,
      project: home,
      collection: `/c/${key}`,
      survey: `/s/${survey.id}`,
      results: `${home}/surveys/${nps.id}/results`,
    },
    ...{ widget: `${home}/widgets/${wall.id}`, wall: `/w/${wall.id}`, consent: await consentPath(environment) },
  }
  return { ref, paths, survey_id: survey.id, wall: wall.id }
}

function first<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw new Error('The demo lacks something')
  return item
}
