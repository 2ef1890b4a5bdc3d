import { durations } from '@earshot/contracts/constants'
import { type Command, Option } from 'commander'
import { failed } from './failure.ts'
import { type Flag, flagsOf, optionsOf } from './flags.ts'
import { HelpGroup } from './help.ts'
import { operationNamed } from './operation.ts'
import { type CommandContext, parentOptions } from './operation-command.ts'
import { readInput } from './schema-node.ts'
import { uploadVideo } from './video-upload.ts'

const DESCRIPTION = [
  'Upload a video and complete it. The transcode starts then; with --wait the command waits for its end.',
  `After Ctrl-C or a lost connection, the same command resumes where the upload stopped, for ${durations.videoUploadHours} hours and as long as the file does not change. The standard input cannot be resumed.`,
].join('\n\n')

const operation = { ...operationNamed('videos.reserve'), words: ['videos', 'upload'] }

/** Adds the flags and the action of `earshot videos upload`. */
export function addVideoUpload(command: Command, { terminal, finish }: CommandContext): void {
  const flags = fieldFlags()
  const general = [
    new Option('--wait', 'wait until the video is ready or failed'),
    new Option('--json', 'print the video as JSON; errors go to stderr'),
    new Option('--output <field>', 'print only this field, such as id').conflicts('json'),
  ]
  command.description(DESCRIPTION).usage('[flags] <file>')
  for (const option of flags.flatMap((flag) => optionsOf(flag, false))) command.addOption(option.helpGroup(HelpGroup.fields))
  for (const option of parentOptions(operation, readInput(operation))) command.addOption(option)
  for (const option of general) command.addOption(option.helpGroup(HelpGroup.general))
  command.action(async () => {
    const given = command.opts()
    try {
      finish(await uploadVideo({ operation, flags, terminal, given, positional: command.args[0] }))
    } catch (error) {
      finish(failed(error, { operation, flags, terminal, isJson: given.json === true }))
    }
  })
}

/** The fields of the draft have flags without their prefix. The name and the type come from the file unless given. */
function fieldFlags(): Flag[] {
  return flagsOf(readInput(operation))
    .filter(({ path: [name = ''] }) => !operation.pathFields.has(name) && name !== 'size_bytes')
    .map((flag) => ({ ...flag, name: flag.name.replace(/^--draft\./, '--'), required: [false] }))
}
