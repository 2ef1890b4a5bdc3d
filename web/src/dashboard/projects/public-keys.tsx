import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type Item, queries } from '../api.ts'
import { useHasRole, useProjectRef } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { useDraft } from '../ui/draft.ts'
import { Empty } from '../ui/empty.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Section } from '../ui/page.tsx'
import { Ago } from '../ui/time.tsx'
import { toast } from '../ui/toasts.tsx'
import { keysQuery } from './keys-query.ts'
import { Share } from './share.tsx'

type Key = Item<typeof api.publicKeys.list>

/** The keys by which pages reach the project, and where visitors leave feedback. */
export function PublicKeys() {
  const ref = useProjectRef()
  const isAdmin = useHasRole('admin')
  const [revoked, setRevoked] = useState<Key | null>(null)
  const query = useInfiniteQuery(keysQuery(ref))
  return (
    <>
      <Section title="Share" lead="Send the link of the collection page to your customers, or put the form on your website.">
        <Loaded query={query}>
          {({ pages }) => {
            const [first] = pages.flatMap(({ results }) => results)
            return first ? <Share publicKey={first.key} /> : <p className="soft">Create a public key below to get the link.</p>
          }}
        </Loaded>
      </Section>
      <Section title="Public keys" lead="A public key names the project on your pages. It is no secret, and gives no access to your data.">
        <div className="stack">
          <Loaded query={query}>
            {({ pages }) => <KeyList keys={pages.flatMap(({ results }) => results)} {...(isAdmin && { onRevoke: setRevoked })} />}
          </Loaded>
          <More query={query} />
          {isAdmin && <NewKey />}
        </div>
      </Section>
      {revoked && <Revoke revoked={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

function KeyList({ keys, onRevoke }: { keys: readonly Key[]; onRevoke?: (key: Key) => void }) {
  if (keys.length === 0)
    return (
      <Empty icon="key" title="No public key yet">
        Your pages and the collection page need one. Make a key for each place, so that you can revoke one alone.
      </Empty>
    )
  return (
    <ul className="lines">
      {keys.map((one) => (
        <li key={one.id}>
          <div>
            <strong dir="auto">{one.label ?? 'Without a label'}</strong>
            <code>{one.key}</code>
            <p className="soft">
              {one.last_used_at === null ? (
                'Never used'
              ) : (
                <>
                  Last used <Ago at={one.last_used_at} />
                </>
              )}
            </p>
          </div>
          <div className="row">
            <CopyButton text={one.key} label="Copy" />
            {onRevoke && (
              <Button look="quiet" onClick={() => onRevoke(one)}>
                Revoke<span className="sr"> {one.label ?? one.key}</span>
              </Button>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Makes a key with a label. */
function NewKey() {
  const ref = useProjectRef()
  const [{ label }, change] = useDraft(`public-key.${ref.project_id}`, { label: '' })
  const create = useMutation({
    mutationFn: () => api.publicKeys.create({ ...ref, label: label.trim() || null }),
    onSuccess: async () => {
      change({ label: '' })
      await queries.invalidateQueries({ queryKey: keysQuery(ref).queryKey })
      toast({ look: 'good', text: 'The key is created.' })
    },
  })
  const errors = fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate()
  }
  return (
    <form className="card stack" onSubmit={submit}>
      <div className="beside">
        <TextField
          {...{ label: 'Label of a new key', value: label, error: errors.get('label') }}
          hint="Where it is used, such as Website footer."
          maxLength={200}
          onChange={(event) => change({ label: event.target.value })}
        />
        <Button type="submit" icon="plus" isBusy={create.isPending}>
          Create key
        </Button>
      </div>
      {create.error && errors.size === 0 && <ErrorNote error={create.error} />}
    </form>
  )
}

function Revoke({ revoked, onClose }: { revoked: Key; onClose: () => void }) {
  const ref = useProjectRef()
  const revoke = async () => {
    await api.publicKeys.delete({ ...ref, public_key_id: revoked.id })
    await queries.invalidateQueries({ queryKey: keysQuery(ref).queryKey })
    toast({ look: 'good', text: 'The key is revoked.' })
  }
  return (
    <Confirm title="Revoke this key?" action="Revoke" onConfirm={revoke} onClose={onClose}>
      <p>
        Pages and links with <strong dir="auto">{revoked.label ?? revoked.key}</strong> stop working at once. This cannot be undone.
      </p>
      {revoked.last_used_at !== null && (
        <p>
          It was last used <Ago at={revoked.last_used_at} />.
        </p>
      )}
    </Confirm>
  )
}
