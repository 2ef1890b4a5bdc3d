import { Role, roles } from '@earshot/contracts'
import { addTeamMember, findUserByEmail } from '@earshot/db'
import { type Command, Option } from 'commander'
import { readId } from './id-option.ts'
import { perform, verb } from './perform.ts'

export function addMemberCommands(member: Command): void {
  verb(member, 'add', 'Add a user to a team')
    .requiredOption('--team <id>', 'id of the team', readId)
    .requiredOption('--email <address>', 'e-mail address of the user')
    .addOption(new Option('--role <role>', 'role in the team').choices([...roles]).makeOptionMandatory())
    .action((options: { team: string; email: string; role: string }) =>
      perform(async (database) => {
        const user = await findUserByEmail(database, options.email)
        await addTeamMember(database, { team_id: options.team, userId: user.id, role: Role.parse(options.role) })
        return { team_id: options.team, user_id: user.id, role: options.role }
      }),
    )
}
