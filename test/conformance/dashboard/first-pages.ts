import type { Flow } from './fixture.ts'

export const firstPageFlows: readonly Flow[] = [
  {
    name: 'teams and projects are made, the first ones as well',
    run: async ({ page, open, check, url, client, team, project }) => {
      await open('-/teams/new')
      await page.getByRole('heading', { name: 'New team' }).waitFor()
      await check('a new team')
      await open('-/projects/new')
      await page.getByRole('heading', { name: 'New project' }).waitFor()
      await check('a new project')
      await client.projects.delete({ team_id: team.id, project_id: project.id })
      await page.goto(`${url}/app/${team.slug}/`)
      await page.getByRole('heading', { name: 'Your first project' }).waitFor()
      await check('the first project')
      await client.teams.delete({ team_id: team.id })
      await page.goto(`${url}/app/`)
      await page.getByRole('heading', { name: 'Welcome, Grace Hopper' }).waitFor()
      await check('the first team')
      await page.getByRole('textbox', { name: 'Name of your team' }).fill('Interpreters')
      await page.getByRole('button', { name: 'Create the team' }).click()
      await page.getByRole('heading', { name: 'Your first project' }).waitFor()
      await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
      await page.getByRole('button', { name: 'Create the project' }).click()
      await page.getByText('0 of 5 done').waitFor()
    },
  },
]
