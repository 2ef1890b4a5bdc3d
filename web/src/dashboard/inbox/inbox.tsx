import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Submission } from '../api.ts'
import { useHasRole, useProject } from '../shell/places.ts'
import { useTitle } from '../ui/page.tsx'
import { BulkTagsDialog } from './bulk-tags.tsx'
import { decide, takeBack } from './decisions.ts'
import { SEARCH_FIELD } from './filter-bar.tsx'
import './inbox.css'
import './reading.css'
import type { Action } from './held.ts'
import { LIST } from './list.tsx'
import { ListPane } from './list-pane.tsx'
import { useQueue } from './queue.ts'
import { ReadingPane } from './reading-pane.tsx'
import { RejectDialog } from './reject-dialog.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { TAG_FIELD } from './tag-editor.tsx'
import { type Active, useActive } from './use-active.ts'
import { useKeys } from './use-keys.ts'
import { useIsNarrow } from './use-narrow.ts'
import { type Picked, usePicked } from './use-picked.ts'

const route = getRouteApi('/$team/$project/inbox')

/** The queue: one submission after the other is read and decided, by keyboard or by touch. */
export function Inbox() {
  const filters = route.useSearch()
  const { name } = useProject()
  const isNarrow = useIsNarrow()
  const queue = useQueue(filters)
  const active = useActive(queue.items, filters.item, isNarrow)
  const picked = usePicked(queue.items, active.id)
  const { chosen, act, canModerate, askReason, editTags, dialog, setDialog } = useActions(queue.items, active, picked)
  useTitle(`Inbox of ${name}`)
  const shown = queue.items[active.index]
  return (
    <main className="inbox" id="main" tabIndex={-1} data-reading={active.id !== null || undefined}>
      <h1 className="sr">Inbox</h1>
      <ListPane
        {...{ filters, queue, active, picked }}
        onHelp={() => setDialog({ name: 'shortcuts' })}
        onTags={canModerate ? editTags : null}
      />
      <ReadingPane
        id={active.id}
        shown={shown}
        position={shown ? { index: active.index, count: queue.items.length, hasMore: queue.hasMore } : null}
        pickedCount={picked.ids.size}
        onApprove={() => act('approve')}
        onReject={askReason}
        onClose={isNarrow ? active.close : null}
        onDeleted={(id) => active.leave(new Set([id]))}
        canModerate={canModerate}
        chosen={chosen}
      />
      {dialog?.name === 'shortcuts' && <Shortcuts onClose={() => setDialog(null)} />}
      {dialog?.name === 'tags' && <BulkTagsDialog submissions={dialog.submissions} onClose={() => setDialog(null)} />}
      {dialog?.name === 'reason' && (
        <RejectDialog
          submissions={dialog.submissions}
          onClose={() => setDialog(null)}
          onReject={(reason) => {
            setDialog(null)
            act('reject', reason, dialog.submissions)
          }}
        />
      )}
    </main>
  )
}

/** A dialog. Its submissions are those of the moment of the key. */
type Asked = { name: 'reason' | 'tags'; submissions: readonly Submission[] } | { name: 'shortcuts' }

/** What can be done, by keys and by buttons. */
function useActions(items: readonly Submission[], active: Active, picked: Picked) {
  const isNarrow = useIsNarrow()
  const canModerate = useHasRole('member')
  const [dialog, setDialog] = useState<Asked | null>(null)
  const chosen = chosenOf(items, active, picked)
  const act = (action: Action, reason: string | null = null, targets = chosen) => {
    const able = targets.filter((item) => isOpenTo(action, item))
    if (!canModerate || able.length === 0) return
    active.leave(new Set(able.map(({ id }) => id)))
    picked.none()
    decide(able, action, reason)
  }
  const askReason = () => {
    const able = chosen.filter((item) => isOpenTo('reject', item))
    if (canModerate && able.length > 0) setDialog({ name: 'reason', submissions: able })
  }
  const editTags = () => {
    if (picked.ids.size === 0) focusOn(TAG_FIELD)
    else if (canModerate) setDialog({ name: 'tags', submissions: chosen })
  }
  const undo = () => {
    const [first] = takeBack()
    if (first) active.open(first.id)
  }
  const move = (steps: number) => {
    active.move(steps)
    focusOn(LIST)
  }
  const next = () => move(1)
  const previous = () => move(-1)
  useKeys({
    ...{ j: next, arrowdown: next, s: next, k: previous, arrowup: previous },
    ...{ a: () => act('approve'), r: askReason, z: undo },
    ...{ '/': () => focusOn(SEARCH_FIELD), t: editTags, '?': () => setDialog({ name: 'shortcuts' }) },
    x: () => active.id !== null && picked.toggle(active.id),
    escape: () => (picked.ids.size > 0 ? picked.none() : isNarrow && active.close()),
  })
  return { chosen, act, canModerate, askReason, editTags, dialog, setDialog }
}

/** What a decision is for: what is selected, else what is read. */
function chosenOf(items: readonly Submission[], active: Active, picked: Picked): readonly Submission[] {
  if (picked.ids.size > 0) return items.filter(({ id }) => picked.ids.has(id))
  return items.slice(active.index, active.index + 1).filter(() => active.index >= 0)
}

/** Whether the decision would change something. */
function isOpenTo(action: Action, { state }: Submission): boolean {
  return state !== (action === 'approve' ? 'approved' : 'rejected')
}

function focusOn(id: string): void {
  document.getElementById(id)?.focus({ preventScroll: true })
}
