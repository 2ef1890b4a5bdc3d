import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useProjectRef } from '../shell/places.ts'

const SUGGESTED = 100

/** The tags of the project, as suggestions for a field with `list={id}`. They are asked for once the field is used. */
export function TagNames({ id, isUsed }: { id: string; isUsed: boolean }) {
  const ref = useProjectRef()
  const { data } = useQuery({
    queryKey: ['tags', ref.project_id, 'names'],
    queryFn: () => api.tags.list({ ...ref, limit: SUGGESTED }),
    enabled: isUsed,
  })
  return (
    <datalist id={id}>
      {data?.results.map(({ tag }) => (
        <option key={tag} value={tag} />
      ))}
    </datalist>
  )
}
