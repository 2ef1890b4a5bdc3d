import { type InputHTMLAttributes, useId, useLayoutEffect, useRef, useState } from 'react'
import { Shortcuts } from '../inbox/shortcuts.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { type Entry, REMEMBERED } from './entry.ts'
import { groupsOf } from './groups.ts'
import { noteRecent } from './recent.ts'
import { useChoice } from './use-choice.ts'
import { useEntries } from './use-entries.ts'
import { useFound } from './use-found.ts'
import { useNames } from './use-names.ts'
import './palette.css'

const LABEL = 'Search and commands'

/**
 * Goes to any page and does what is done often, by a few letters. The field keeps the focus and points to the entry that Enter chooses
 * (WAI-ARIA Authoring Practices, "Combobox").
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const [isHelp, setIsHelp] = useState(false)
  if (isHelp) return <Shortcuts onClose={onClose} />
  return <PaletteDialog onClose={onClose} onHelp={() => setIsHelp(true)} />
}

function PaletteDialog({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const listId = useId()
  const [query, setQuery] = useState('')
  const entries = useEntries(onHelp)
  const found = useFound(query)
  const names = useNames(query)
  const groups = groupsOf(query, [...entries, ...names], found.entries)
  const shown = groups.flatMap(({ entries: some }) => some)
  const idOf = (entry: Entry) => `${listId}-${shown.indexOf(entry)}`
  const choose = (entry: Entry) => {
    if (REMEMBERED.includes(entry.group)) noteRecent(entry.id)
    if (entry.id !== 'shortcuts') onClose()
    entry.run()
  }
  const { active, press, point } = useChoice(shown, idOf, choose)
  return (
    <Over onClose={onClose}>
      <Field
        aria-controls={listId}
        aria-activedescendant={active && idOf(active)}
        value={query}
        onKeyDown={press}
        onChange={({ target }) => {
          setQuery(target.value)
          point(null)
        }}
        onClose={onClose}
      />
      <div className="palette-list" id={listId} role="listbox" aria-label="Results">
        {groups.map(({ group, entries: some }) => (
          // biome-ignore lint/a11y/useSemanticElements: options are grouped by a role, there is no element
          <div key={group} role="group" aria-label={group}>
            <div className="palette-group" aria-hidden="true">
              {group}
            </div>
            {some.map((entry) => (
              <Option key={entry.id} {...{ entry, id: idOf(entry), isActive: entry === active, point, choose }} />
            ))}
          </div>
        ))}
      </div>
      <State query={query} count={shown.length} isSearching={found.isSearching} hasFailed={found.error !== null} />
    </Over>
  )
}

/** The browser keeps the focus in the dialog and gives it back. */
function Over({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed while it is still on the page, as `Dialog`.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    shown?.querySelector('input')?.focus()
    return () => shown?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="palette"
      aria-label={LABEL}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // What is in the dialog covers it: only its backdrop is the dialog itself.
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      {children}
    </dialog>
  )
}

function Field({ onClose, ...rest }: InputHTMLAttributes<HTMLInputElement> & { onClose: () => void }) {
  return (
    <div className="palette-field">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label={LABEL}
        aria-expanded="true"
        aria-autocomplete="list"
        placeholder="Go to a page, do something, or find words…"
        autoComplete="off"
        autoCapitalize="none"
        enterKeyHint="go"
        spellCheck={false}
        dir="auto"
        {...rest}
      />
      <IconButton icon="x" label="Close" onClick={onClose} />
    </div>
  )
}

interface OptionProps {
  entry: Entry
  id: string
  isActive: boolean
  point: (entry: Entry) => void
  choose: (entry: Entry) => void
}

function Option({ entry, id, isActive, point, choose }: OptionProps) {
  const { icon, text, detail } = entry
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
    <div
      className="palette-option"
      role="option"
      id={id}
      aria-selected={isActive}
      onPointerMove={() => point(entry)}
      onClick={() => choose(entry)}
    >
      <Icon name={icon} />
      <span className="text" dir="auto">
        {text}
      </span>
      {detail && (
        <span className="detail" dir="auto">
          {detail}
        </span>
      )}
      {isActive && <Kbd>↵</Kbd>}
    </div>
  )
}

interface StateProps {
  query: string
  count: number
  isSearching: boolean
  hasFailed: boolean
}

/** What is read out, and what stands there when nothing fits. */
function State({ query, count, isSearching, hasFailed }: StateProps) {
  return (
    <div className="palette-state" role="status">
      {stateText({ query, count, isSearching, hasFailed }) ?? <span className="sr">{count === 1 ? '1 result' : `${count} results`}</span>}
    </div>
  )
}

function stateText({ query, count, isSearching, hasFailed }: StateProps): string | null {
  if (isSearching) return 'Searching submissions…'
  if (hasFailed) return 'Submissions could not be searched now.'
  return count === 0 ? `Nothing matches “${query.trim()}”. Try the name of a page or a survey, or the words of a customer.` : null
}
