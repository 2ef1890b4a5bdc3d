const MEGABYTE = 1_000_000

/** The features and quotas of each plan. Monthly quotas reset with the calendar month in UTC; others count what exists now. */
export const plans = {
  free: {
    apiAccess: false,
    features: ['text', 'video', 'surveys'],
    quotas: { submissions: 50, responses: 100, video_uploads: 10, imported_rows: 0, projects: 1, members: 2, webhook_endpoints: 0 },
    video: { maxSeconds: 120, maxBytes: 200 * MEGABYTE },
  },
  pro: {
    apiAccess: true,
    features: ['text', 'video', 'surveys', 'webhooks', 'imports', 'widgets_without_badge'],
    quotas: {
      submissions: 5_000,
      responses: 20_000,
      video_uploads: 500,
      imported_rows: 50_000,
      projects: 20,
      members: 10,
      webhook_endpoints: 10,
    },
    video: { maxSeconds: 300, maxBytes: 500 * MEGABYTE },
  },
  business: {
    apiAccess: true,
    features: ['text', 'video', 'surveys', 'webhooks', 'imports', 'widgets_without_badge', 'audit_log', 'privacy_requests'],
    quotas: {
      submissions: 100_000,
      responses: 500_000,
      video_uploads: 10_000,
      imported_rows: 1_000_000,
      projects: 500,
      members: 200,
      webhook_endpoints: 100,
    },
    video: { maxSeconds: 900, maxBytes: 2_000 * MEGABYTE },
  },
} as const
