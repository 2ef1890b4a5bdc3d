/** What the audit log records, by what is changed. A test compares it with what the service writes. */
const ACTIONS = {
  submission: ['created', 'updated', 'approved', 'rejected', 'pending', 'deleted'],
  tag: ['renamed', 'merged', 'deleted'],
  survey: ['created', 'updated', 'published', 'closed', 'deleted'],
  response: ['created', 'deleted'],
  video: ['reserved', 'retried', 'captions_added', 'captions_deleted', 'deleted'],
  widget: ['created', 'updated', 'deleted'],
  import: ['created', 'started', 'resumed', 'undone'],
  project: ['created', 'updated', 'deleted'],
  public_key: ['created', 'deleted'],
  webhook: ['created', 'updated', 'secret_rotated', 'tested', 'replayed', 'disabled', 'deleted'],
  delivery: ['redelivered'],
  event: ['expunged'],
  privacy: ['exported', 'erased'],
  team: ['created', 'updated', 'deleted'],
  member: ['added', 'updated', 'removed'],
  invitation: ['created', 'resent', 'accepted', 'revoked'],
  token: ['created', 'deleted'],
  authorization: ['created', 'deleted'],
  session: ['deleted'],
  password: ['changed', 'reset'],
  mfa: ['enabled', 'disabled'],
} as const

/** The codes of all actions, such as `webhook.created`. */
export const auditActions: readonly string[] = Object.entries(ACTIONS).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}`))
