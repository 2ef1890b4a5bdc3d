import { Command } from 'commander'
import { addDoctorCommand } from './admin/doctor.ts'
import { addJwtKeysCommands } from './admin/jwt-keys.ts'
import { addMailCommands } from './admin/mail.ts'
import { addMemberCommands } from './admin/member.ts'
import { addOAuthClientCommands } from './admin/oauth-client.ts'
import { addTeamCommands } from './admin/team.ts'
import { addTokenCommands } from './admin/token.ts'
import { addUserCommands } from './admin/user.ts'

const program = new Command('admin').description('Manages users, teams, tokens and applications, with or without a running service.')
addUserCommands(program)
addTeamCommands(program)
addMemberCommands(program)
addTokenCommands(program)
addOAuthClientCommands(program)
addMailCommands(program)
addJwtKeysCommands(program)
addDoctorCommand(program)
await program.parseAsync()
