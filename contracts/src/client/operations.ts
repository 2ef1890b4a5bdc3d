// Made from the contracts by "npm run generate": what the client must know of them, without their schemas.

/**
 * Method and path of each operation, under its name, then what is special about it: `list` for pages, `feed` for pages without an
 * end, `events` and `records` for streams, `waits:SECONDS`, `reauthenticates`, `header:FIELD=NAME`. `T` is the path of a team, `P`
 * that of a project.
 */
export const operations = {
  me: {
    retrieve: 'GET /api/v1/me/',
    update: 'PATCH /api/v1/me/',
    changePassword: 'POST /api/v1/me/password/ reauthenticates',
    mfa: {
      enroll: 'POST /api/v1/me/mfa/enroll/ reauthenticates',
      confirm: 'POST /api/v1/me/mfa/confirm/ reauthenticates',
      disable: 'POST /api/v1/me/mfa/disable/ reauthenticates',
    },
    tokens: {
      list: 'GET /api/v1/me/tokens/ list',
      create: 'POST /api/v1/me/tokens/',
      delete: 'DELETE /api/v1/me/tokens/{token_id}/',
    },
    sessions: {
      list: 'GET /api/v1/me/sessions/ list',
      delete: 'DELETE /api/v1/me/sessions/{session_id}/',
    },
    authorizations: {
      list: 'GET /api/v1/me/authorizations/ list',
      delete: 'DELETE /api/v1/me/authorizations/{authorization_id}/',
    },
    notifications: {
      retrieve: 'GET /api/v1/me/notifications/',
      update: 'PATCH /api/v1/me/notifications/',
    },
  },
  teams: {
    list: 'GET /api/v1/teams/ list',
    create: 'POST /api/v1/teams/',
    retrieve: 'GET T/',
    update: 'PATCH T/',
    delete: 'DELETE T/',
    usage: 'GET T/usage/',
    auditLog: {
      list: 'GET T/audit-log/ list',
    },
  },
  members: {
    list: 'GET T/members/ list',
    update: 'PATCH T/members/{user_id}/',
    delete: 'DELETE T/members/{user_id}/',
    transferOwnership: 'POST T/members/{user_id}/transfer-ownership/',
  },
  invitations: {
    list: 'GET T/invitations/ list',
    create: 'POST T/invitations/',
    delete: 'DELETE T/invitations/{invitation_id}/',
    resend: 'POST T/invitations/{invitation_id}/resend/',
    accept: 'POST /api/v1/invitations/accept/',
  },
  projects: {
    list: 'GET T/projects/ list',
    create: 'POST T/projects/',
    retrieve: 'GET P/',
    update: 'PATCH P/',
    delete: 'DELETE P/',
  },
  publicKeys: {
    list: 'GET P/public-keys/ list',
    create: 'POST P/public-keys/',
    delete: 'DELETE P/public-keys/{public_key_id}/',
  },
  submissions: {
    list: 'GET P/submissions/ list',
    export: 'GET P/submissions/export/ records',
    stream: 'GET P/submissions/stream/ events',
    counts: 'GET P/submissions/counts/',
    create: 'POST P/submissions/',
    retrieve: 'GET P/submissions/{submission_id}/',
    update: 'PATCH P/submissions/{submission_id}/',
    delete: 'DELETE P/submissions/{submission_id}/',
    approve: 'POST P/submissions/{submission_id}/approve/',
    reject: 'POST P/submissions/{submission_id}/reject/',
    moderate: 'POST P/submissions/moderate/',
  },
  tags: {
    list: 'GET P/tags/ list',
    update: 'PATCH P/tags/{tag}/',
    delete: 'DELETE P/tags/{tag}/',
  },
  testimonials: {
    list: 'GET P/testimonials/ list',
    create: 'POST P/testimonials/',
    retrieve: 'GET P/testimonials/{testimonial_id}/',
    update: 'PATCH P/testimonials/{testimonial_id}/',
    delete: 'DELETE P/testimonials/{testimonial_id}/',
  },
  surveys: {
    list: 'GET P/surveys/ list',
    create: 'POST P/surveys/',
    retrieve: 'GET P/surveys/{survey_id}/',
    update: 'PATCH P/surveys/{survey_id}/',
    delete: 'DELETE P/surveys/{survey_id}/',
    publish: 'POST P/surveys/{survey_id}/publish/',
    close: 'POST P/surveys/{survey_id}/close/',
    results: 'GET P/surveys/{survey_id}/results/',
    summaries: {
      list: 'GET P/surveys/summaries/ list',
    },
  },
  responses: {
    list: 'GET P/surveys/{survey_id}/responses/ list',
    export: 'GET P/surveys/{survey_id}/responses/export/ records',
    create: 'POST P/surveys/{survey_id}/responses/',
    retrieve: 'GET P/surveys/{survey_id}/responses/{response_id}/',
    delete: 'DELETE P/surveys/{survey_id}/responses/{response_id}/',
  },
  analytics: {
    overview: 'GET P/analytics/overview/',
    nps: 'GET P/analytics/nps/',
  },
  videos: {
    list: 'GET P/videos/ list',
    retrieve: 'GET P/videos/{video_id}/',
    reserve: 'POST P/videos/',
    complete: 'POST P/videos/{video_id}/complete/',
    retry: 'POST P/videos/{video_id}/retry/',
    delete: 'DELETE P/videos/{video_id}/',
    draft: {
      retrieve: 'GET P/videos/{video_id}/draft/',
      update: 'PATCH P/videos/{video_id}/draft/',
      submit: 'POST P/videos/{video_id}/draft/submit/',
    },
    captions: {
      create: 'POST P/videos/{video_id}/captions/',
      delete: 'DELETE P/videos/{video_id}/captions/{caption_id}/',
    },
  },
  imports: {
    list: 'GET P/imports/ list',
    retrieve: 'GET P/imports/{import_id}/',
    create: 'POST P/imports/',
    complete: 'POST P/imports/{import_id}/complete/',
    rows: {
      list: 'GET P/imports/{import_id}/rows/ list',
    },
    undo: 'POST P/imports/{import_id}/undo/',
    resume: 'POST P/imports/{import_id}/resume/',
  },
  widgets: {
    list: 'GET P/widgets/ list',
    create: 'POST P/widgets/',
    retrieve: 'GET P/widgets/{widget_id}/',
    update: 'PATCH P/widgets/{widget_id}/',
    delete: 'DELETE P/widgets/{widget_id}/',
  },
  webhooks: {
    list: 'GET T/webhooks/ list',
    create: 'POST T/webhooks/',
    retrieve: 'GET T/webhooks/{webhook_id}/',
    update: 'PATCH T/webhooks/{webhook_id}/',
    delete: 'DELETE T/webhooks/{webhook_id}/',
    rotateSecret: 'POST T/webhooks/{webhook_id}/rotate-secret/',
    test: 'POST T/webhooks/{webhook_id}/test/ waits:60',
    replay: 'POST T/webhooks/{webhook_id}/replay/',
    stats: 'GET T/webhooks/{webhook_id}/stats/',
    deliveries: {
      list: 'GET T/webhooks/{webhook_id}/deliveries/ list',
      retrieve: 'GET T/webhooks/{webhook_id}/deliveries/{delivery_id}/',
      redeliver: 'POST T/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver/',
    },
    attempts: {
      list: 'GET T/webhooks/{webhook_id}/attempts/ list',
    },
    summaries: {
      list: 'GET T/webhooks/summaries/ list',
    },
  },
  events: {
    list: 'GET T/events/ feed',
    stream: 'GET T/events/stream/ events',
    expunge: 'POST T/events/{event_id}/expunge/',
    types: {
      list: 'GET T/events/types/ list',
    },
  },
  privacy: {
    export: 'POST T/privacy/export/ list',
    erase: 'POST T/privacy/erase/',
    requests: {
      list: 'GET T/privacy/requests/ list',
      retrieve: 'GET T/privacy/requests/{request_id}/',
    },
  },
  auth: {
    signUp: 'POST /api/auth/signup/',
    verifyEmail: 'POST /api/auth/verify-email/',
    passwordReset: {
      create: 'POST /api/auth/password-reset/',
      confirm: 'POST /api/auth/password-reset/confirm/',
    },
    session: {
      create: 'POST /api/auth/session/',
      delete: 'DELETE /api/auth/session/',
    },
    token: {
      create: 'POST /api/auth/token/',
      refresh: 'POST /api/auth/token/refresh/',
      revoke: 'POST /api/auth/token/revoke/',
    },
  },
  public: {
    projects: {
      retrieve: 'GET /api/public/v1/projects/{public_key}/',
    },
    submissions: {
      create: 'POST /api/public/v1/projects/{public_key}/submissions/',
    },
    uploads: {
      reserve: 'POST /api/public/v1/projects/{public_key}/uploads/',
      complete: 'POST /api/public/v1/uploads/{video_id}/complete/ header:upload_token=X-Upload-Token',
    },
    drafts: {
      update: 'PATCH /api/public/v1/uploads/{video_id}/draft/ header:upload_token=X-Upload-Token',
      submit: 'POST /api/public/v1/uploads/{video_id}/draft/submit/ header:upload_token=X-Upload-Token',
    },
    items: {
      list: 'GET /api/public/v1/projects/{public_key}/items/ list',
    },
    consent: {
      revoke: 'POST /api/public/v1/consent/revoke/',
    },
    surveys: {
      retrieve: 'GET /api/public/v1/surveys/{survey_id}/',
    },
    responses: {
      create: 'POST /api/public/v1/surveys/{survey_id}/responses/',
    },
    widgets: {
      retrieve: 'GET /api/public/v1/widgets/{widget_id}/',
    },
  },
} as const
