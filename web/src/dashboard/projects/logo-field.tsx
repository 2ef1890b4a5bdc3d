import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, onThisOrigin, type Project } from '../api.ts'
import { projectsQuery, useHasRole, useProject } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { toastFailure } from '../ui/toasts.tsx'

/** How often it asks for a copy that is being made: at first, and once that takes long. */
const SOON_MS = 3_000
const LATER_MS = 60_000
/** The service has given a logo up by then. */
const RETRIED_MS = 2 * 3_600_000

interface LogoFieldProps {
  value: string
  error: string | undefined
  onChange: (logo: string) => void
}

/** The address of the logo, and below it the service's copy, which is what visitors see: or why there is none. */
export function LogoField({ value, error, onChange }: LogoFieldProps) {
  const { id, team_id, theme, updated_at } = useProject()
  const isAdmin = useHasRole('admin')
  useQuery({
    ...projectsQuery(team_id),
    refetchInterval: () => {
      const ageMs = Date.now() - Date.parse(updated_at)
      // Other sites that are down are asked again meanwhile.
      if (theme.logo?.state === 'failed') return ageMs < RETRIED_MS && LATER_MS
      if (theme.logo?.state !== 'pending') return false
      return ageMs < LATER_MS ? SOON_MS : LATER_MS
    },
  })
  const queries = useQueryClient()
  const again = useMutation({
    // The same address once more asks for another try.
    mutationFn: () => api.projects.update({ team_id, project_id: id, theme: { logo_url: theme.logo_url } }),
    onSuccess: () => queries.invalidateQueries(projectsQuery(team_id)),
    onError: toastFailure,
  })
  // What is typed may be another address than that of the copy.
  const copy = value.trim() === (theme.logo_url ?? '') ? theme.logo : null
  return (
    <div className="stack">
      <TextField
        {...{ label: 'Logo', type: 'url', value, error }}
        hint="Optional: the address of a PNG, JPEG, GIF, WebP or AVIF image of at most 5 MB. Visitors see a copy of it that this service keeps."
        placeholder="https://example.com/logo.png"
        onChange={(event) => onChange(event.target.value)}
      />
      <div role="status">{copy && <Copy copy={copy} />}</div>
      {copy?.state === 'failed' && isAdmin && (
        <div>
          <Button isBusy={again.isPending} onClick={() => again.mutate()}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

function Copy({ copy: { state, url, error } }: { copy: NonNullable<Project['theme']['logo']> }) {
  if (state === 'pending') return <p className="soft">The logo is being copied…</p>
  if (error) return <p className="note bad">The logo could not be loaded. {error.detail}</p>
  return url && <img className="logo-copy" src={onThisOrigin(url)} alt="The logo, as visitors see it" />
}
