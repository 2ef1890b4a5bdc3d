import { useEffect, useRef } from 'react'
import { nameInText } from '../ui/names.ts'
import { toast } from '../ui/toasts.tsx'
import { useTeam } from './places.ts'

const SHOWN_MS = 15_000

/** Says when the role or the plan changes under an open page: what was there a moment ago may be gone with it. */
export function AccessNews() {
  const { id, name, role, plan } = useTeam()
  const before = useRef({ id, role, plan })
  useEffect(() => {
    const last = before.current
    before.current = { id, role, plan }
    if (last.id !== id) return
    if (last.role !== role)
      toast({ look: 'info', text: `Your role in ${nameInText(name)} has changed from ${last.role} to ${role}.` }, SHOWN_MS)
    if (last.plan !== plan)
      toast({ look: 'info', text: `The plan of ${nameInText(name)} has changed from ${last.plan} to ${plan}.` }, SHOWN_MS)
  }, [id, name, role, plan])
  return null
}
