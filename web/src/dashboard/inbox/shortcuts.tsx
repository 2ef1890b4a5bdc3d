import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import { useSingleKeys } from './single-keys.ts'

const SHORTCUTS = [
  [['J', '↓'], 'Next'],
  [['K', '↑'], 'Previous'],
  [['A'], 'Approve'],
  [['R'], 'Reject, with a reason if you like'],
  [['S'], 'Skip: leave it pending and go on'],
  [['Z'], 'Undo, within five seconds'],
  [['X'], 'Select several, for one decision'],
  [['T'], 'Add a tag; with several selected, change the tags of all'],
  [['/'], 'Search'],
  [['Esc'], 'Clear the selection'],
  [['Ctrl K', '⌘K'], 'Go to a page, do something, or find words: on every page'],
  [['?'], 'This list'],
] as const

/** The keys of the inbox. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useSingleKeys()
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} className="kbd">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="stack">
        <CheckField
          label="Shortcuts with one letter"
          hint="Turn them off if you speak to your computer or press keys by accident."
          checked={isOn}
          onChange={({ target }) => setIsOn(target.checked)}
        />
      </div>
      <footer />
    </Dialog>
  )
}
