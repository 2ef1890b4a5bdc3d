import type { Command, Option } from 'commander'
import { ChoiceOption } from './flags.ts'

const MAX_DESCRIPTION = 70
/** Flags whose values the program knows, or the service. */
const ASKED = ['--tags', '--tag', '--profile']

/** A word that may follow a command. `values` is what a flag takes: choices, `@` to ask the program, or any text. */
interface Entry {
  word: string
  values?: string
  description: string
}

/** What may follow each command, by its words. `@` is what the program is asked for, `<file>` a file. */
export type Entries = ReadonlyMap<string, readonly Entry[]>

/** Reads all commands with their flags. */
export async function entriesOf(program: Command, load: (command: Command) => Promise<void>): Promise<Entries> {
  const entries = new Map<string, readonly Entry[]>()
  const everywhere = program.options.filter(({ long }) => long === '--profile' || long === '--debug')
  const walk = async (command: Command, path: readonly string[]) => {
    await load(command)
    const shown = command.createHelp().visibleOptions(command)
    const flags = [...shown, ...(command === program ? [] : everywhere)].flatMap((option) => flagEntry(option))
    const children = command.commands.map((child) => ({ word: child.name(), description: shortened(child.summary()) }))
    entries.set(path.join(' '), [...children, ...flags, ...argumentEntries(command)])
    for (const child of command.commands) await walk(child, [...path, child.name()])
  }
  await walk(program, [])
  return entries
}

/** The words of a lone argument are in the script. Which argument comes next, and what it may be, only the program knows. */
function argumentEntries({ registeredArguments: [first, ...others] }: Command): Entry[] {
  if (!first) return []
  if (first.argChoices && others.length === 0) return first.argChoices.map((word) => ({ word, description: '' }))
  return [{ word: first.name() === 'file' ? '<file>' : '@', description: '' }]
}

function flagEntry(option: Option): Entry[] {
  if (!option.long) return []
  const values = option.required || option.optional ? { values: valuesOf(option) } : {}
  return [{ word: option.long, description: shortened(option.description), ...values }]
}

function valuesOf(option: Option): string {
  const choices = option instanceof ChoiceOption ? option.values : (option.argChoices ?? [])
  if (choices.length > 0) return choices.join(',')
  return option.flags.endsWith('<id>') || ASKED.includes(option.long ?? '') ? '@' : ''
}

/** Returns the first sentence, without what a shell would interpret. */
function shortened(text: string): string {
  const [sentence = ''] = text
    .replaceAll(/[\\`$"]/g, '')
    .replaceAll("'", '’')
    .replaceAll(/\s+/g, ' ')
    .split(/\. |\.$| \(/)
  return sentence.length > MAX_DESCRIPTION ? `${sentence.slice(0, MAX_DESCRIPTION - 1)}…` : sentence
}

/** Writes the lines of each command: a word, `=` with the values of a flag, and after a tab its description. */
function cases(entries: Entries, { isDescribed, form }: { isDescribed: boolean; form: (path: string, lines: string) => string }): string {
  const lineOf = ({ word, values, description }: Entry) =>
    `${word}${values === undefined ? '' : `=${values}`}${isDescribed ? `\t${description}` : ''}`
  return [...entries].map(([path, list]) => form(path, list.map(lineOf).join('\n'))).join('\n')
}

const posixCase = (path: string, lines: string) => `'${path}') echo '${lines}' ;;`

/** The scripts, by shell. */
export const scripts = {
  bash: (entries: Entries) => `# bash completion of earshot
_earshot_table() {
case "$1" in
${cases(entries, { isDescribed: false, form: posixCase })}
esac
}
_earshot() {
  local IFS=$'\\n' place= word entry values=none i words=() found=()
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  # readline splits --state=pending into three words.
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD-2]}
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word != -* && $'\\n'$(_earshot_table "$place")$'\\n' == *$'\\n'"$word"$'\\n'* ]]; then place="\${place:+$place }$word"; fi
  done
  for entry in $(_earshot_table "$place"); do
    case $entry in
      "$prev"=*) values=\${entry#*=} ;;
      -*) [[ $cur == -* ]] && words+=("\${entry%%=*}") ;;
      @ | '<file>') [[ $values == none && $cur != -* ]] && values=\${entry#'<file>'} ;;
      *) words+=("$entry") ;;
    esac
  done
  case $values in
    none) for word in "\${words[@]}"; do [[ $word == "$cur"* ]] && found+=("$word"); done ;;
    @) found=($(earshot __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)) ;;
    '') compopt -o default 2>/dev/null ;;
    *) IFS=,; for word in $values; do [[ $word == "$cur"* ]] && found+=("$word"); done ;;
  esac
  # 63: a second TAB lists what there is.
  if [[ $COMP_TYPE == 63 && \${#found[@]} -gt 1 ]]; then COMPREPLY=("\${found[@]/$'\\t'/  }")
  else COMPREPLY=("\${found[@]%%$'\\t'*}"); fi
}
complete -F _earshot earshot
`,
  zsh: (entries: Entries) => `#compdef earshot
_earshot_table() {
case "$1" in
${cases(entries, { isDescribed: true, form: posixCase })}
esac
}
_earshot() {
  local place= word line entry text values=none tab=$'\\t' nl=$'\\n'
  local -a found attached
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]}
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*}; attached=("$prev"); cur=\${cur#*=}; compset -P '*='; fi
  for word in \${words[2,CURRENT-1]}; do
    if [[ $word != -* && $nl$(_earshot_table "$place") == *$nl"$word"$tab* ]]; then place="\${place:+$place }$word"; fi
  done
  for line in \${(f)"$(_earshot_table "$place")"}; do
    entry=\${line%%$tab*} text=\${line#*$tab}
    case $entry in
      "$prev"=*) values=\${entry#*=} ;;
      -*) [[ $cur == -* ]] && found+=("\${entry%%=*}:$text") ;;
      (@|'<file>')) [[ $values == none && $cur != -* ]] && values=\${entry#'<file>'} ;;
      *) found+=("$entry:$text") ;;
    esac
  done
  case $values in
    none) _describe command found ;;
    @) found=()
      for line in \${(f)"$(earshot __complete "\${(@)words[2,CURRENT-1]}" "\${(@)attached}" "$cur" 2>/dev/null)"}; do
        found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
      done
      # -U replaces the word, with the flag in front of it.
      _describe id found -U \${attached:+-P} \${attached:+$attached=} ;;
    '') _files ;;
    *) compadd -- \${(s:,:)values} ;;
  esac
}
if [[ $funcstack[1] == _earshot ]]; then _earshot "$@"; else compdef _earshot earshot; fi
`,
  fish: (entries: Entries) => `# fish completion of earshot
function __earshot_table
switch "$argv[1]"
${cases(entries, { isDescribed: true, form: (path, lines) => `case '${path}'\nprintf '%s\\n' '${lines}'` })}
end
end
function __earshot_complete
  set -l words (commandline -opc)[2..-1]
  set -l cur (commandline -ct)
  set -l prev "$words[-1]"
  set -l start ''
  set -l attached
  set -l place
  if string match -q -- '--*=*' "$cur"
    set prev (string split -m1 = -- $cur)[1]
    set start "$prev="
    set attached $prev
    set cur (string split -m1 = -- $cur)[2]
  end
  for word in $words
    if not string match -q -- '-*' $word; and string match -q -- $word\\t'*' (__earshot_table "$place")
      set place (string trim "$place $word")
    end
  end
  set -l values none
  for line in (__earshot_table "$place")
    set -l parts (string split -m1 \\t -- $line)
    switch $parts[1]
      case "$prev=*"
        set values (string split -m1 = -- $parts[1])[2]
      case '-*'
        string match -q -- '-*' "$cur"; and printf '%s\\t%s\\n' (string split -m1 = -- $parts[1])[1] $parts[2]
      case @ '<file>'
        test $values = none; and not string match -q -- '-*' "$cur"; and set values (string replace '<file>' '' -- $parts[1])
      case '*'
        echo $line
    end
  end
  switch "$values"
    case none
    case @
      printf '%s\\n' $start(earshot __complete $words $attached "$cur" 2>/dev/null)
    case ''
      __fish_complete_path "$cur"
    case '*'
      printf '%s\\n' $start(string split , -- $values)
  end
end
complete -c earshot -f -a '(__earshot_complete)'
`,
}
