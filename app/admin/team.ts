import { type Plan, plans } from '@earshot/contracts'
import { createTeamFor, findUserByEmail, setTeamPlan } from '@earshot/db'
import { type Command, Option } from 'commander'
import { readId } from './id-option.ts'
import { perform, verb } from './perform.ts'

export function addTeamCommands(team: Command): void {
  verb(team, 'create', 'Create a team')
    .requiredOption('--name <text>', 'name of the team')
    .requiredOption('--owner <address>', 'e-mail address of its owner')
    .addOption(new Option('--plan <plan>', 'plan (default: EARSHOT_DEFAULT_PLAN)').choices(Object.keys(plans)))
    .action((options: { name: string; owner: string; plan?: Plan }) =>
      perform(async (database, { defaultPlan }) => {
        const row = await createTeamFor(database, await findUserByEmail(database, options.owner), {
          name: options.name,
          plan: options.plan ?? defaultPlan,
        })
        return { id: row.id, name: row.name, slug: row.slug, plan: row.plan }
      }),
    )

  verb(team, 'set-plan', "Change a team's plan, effective with the next request")
    .requiredOption('--team <id>', 'id of the team', readId)
    .addOption(new Option('--plan <plan>', 'the plan').choices(Object.keys(plans)).makeOptionMandatory())
    .action((options: { team: string; plan: Plan }) =>
      perform(async (database) => {
        await setTeamPlan(database, { team_id: options.team, plan: options.plan })
        return { id: options.team, plan: options.plan }
      }),
    )
}
