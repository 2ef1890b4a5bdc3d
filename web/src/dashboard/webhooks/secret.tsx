import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { api } from '../api.ts'
import { serviceNow } from '../clock.ts'
import { Button } from '../ui/button.tsx'
import { CodeLine } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { At } from '../ui/time.tsx'
import { endpointChanged } from './queries.ts'
import type { CreatedEndpoint, Endpoint } from './records.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

interface SecretDialogProps {
  created: CreatedEndpoint
  title: string
  onClose: () => void
}

/** Shows a signing secret, the only time that it can be seen. */
export function SecretDialog({ created, title, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} isFixed size="wide">
      <div className="stack">
        <p>
          Your receiver verifies with this secret that a request comes from Earshot. <strong>Copy it now: it is shown only once.</strong>
        </p>
        <CodeLine code={created.secret} label="Copy the secret" />
        {created.previous_secret_expires_at && (
          <p className="soft">
            The previous secret signs too until <At at={created.previous_secret_expires_at} />. Update your receiver before then.
          </p>
        )}
        {created.public_key && (
          <details>
            <summary>Public key, for receivers that must not be able to sign</summary>
            <CodeLine code={created.public_key} label="Copy the key" />
          </details>
        )}
      </div>
      <footer>
        <Button look="primary" onClick={onClose}>
          I have stored the secret
        </Button>
      </footer>
    </Dialog>
  )
}

/** The state of the secret, with how long the previous one is still valid, and a way to rotate it. */
export function SecretPanel({ endpoint }: { endpoint: Endpoint }) {
  const [isAsked, setIsAsked] = useState(false)
  const [rotated, setRotated] = useState<CreatedEndpoint | null>(null)
  return (
    <div className="card stack">
      <p>
        The secret ends with <code>{endpoint.secret_hint}</code>. It was shown when it was made and cannot be shown again.
      </p>
      {endpoint.previous_secret_expires_at && <Overlap until={endpoint.previous_secret_expires_at} />}
      {endpoint.public_key && (
        <div className="field">
          <span className="label">Public key</span>
          <CodeLine code={endpoint.public_key} />
        </div>
      )}
      <div className="row">
        <Button icon="refresh" onClick={() => setIsAsked(true)}>
          Rotate the secret
        </Button>
      </div>
      {isAsked && (
        <RotateDialog
          endpoint={endpoint}
          onClose={() => setIsAsked(false)}
          onRotated={(created) => {
            setIsAsked(false)
            setRotated(created)
          }}
        />
      )}
      {rotated && <SecretDialog created={rotated} title="The new secret" onClose={() => setRotated(null)} />}
    </div>
  )
}

function Overlap({ until }: { until: string }) {
  const [now, setNow] = useState(serviceNow())
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  const leftMs = Date.parse(until) - now
  if (leftMs <= 0) return null
  const hours = Math.floor(leftMs / HOUR_MS)
  const minutes = Math.floor((leftMs % HOUR_MS) / MINUTE_MS)
  return (
    <Note look="warn">
      <p>
        <strong>
          The previous secret signs for {hours} h {minutes} min more
        </strong>
        , until <At at={until} />. Update your receiver before then.
      </p>
    </Note>
  )
}

interface RotateDialogProps {
  endpoint: Endpoint
  onClose: () => void
  onRotated: (created: CreatedEndpoint) => void
}

function RotateDialog({ endpoint, onClose, onRotated }: RotateDialogProps) {
  const [own, setOwn] = useState('')
  const rotate = useMutation({
    mutationFn: () =>
      api.webhooks.rotateSecret({ team_id: endpoint.team_id, webhook_id: endpoint.id, ...(own.trim() !== '' && { secret: own.trim() }) }),
    onSuccess: async (created) => {
      const { secret: _secret, ...kept } = created
      await endpointChanged(kept)
      onRotated(created)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!rotate.isPending) rotate.mutate()
  }
  const error = fieldErrors(rotate.error).get('secret')
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>
          You get a new secret and a new key pair. For 24 hours every request is signed with both, so that your receiver misses nothing
          while you update it.
          {endpoint.previous_secret_expires_at && ' The secret before the current one stops at once.'}
        </p>
        <TextField
          label="Secret of your own"
          hint="Optional: whsec_ and 24 to 64 random bytes in base64."
          value={own}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setOwn(target.value)}
          error={error}
        />
        {rotate.error && error === undefined && <ErrorNote error={rotate.error} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={rotate.isPending}>
            Rotate the secret
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
