/** Rate limits by name. Windows are fixed and aligned to the clock, such as each full hour. */
export const limits = {
  authenticated: { max: 1000, windowSeconds: 3600, countedBy: 'user' },
  unauthenticated: { max: 100, windowSeconds: 3600, countedBy: 'ip' },
  /** Wrong passwords for one account: from one IP address, from all of them, and from a browser with its device cookie. */
  sign_in: { max: 20, windowSeconds: 900, countedBy: 'ip' },
  sign_in_account: { max: 100, windowSeconds: 3600, countedBy: 'user' },
  sign_in_device: { max: 20, windowSeconds: 900, countedBy: 'user' },
  /** Wrong codes of two-factor authentication, wherever they are given: in any 24 hours, unlike the other windows. */
  second_factor: { max: 10, windowSeconds: 86_400, countedBy: 'user' },
  /** Wrong codes on the page that connects a device, per person and per IP address. */
  device_code: { max: 10, windowSeconds: 600, countedBy: 'user' },
  /** Invitation mails from one person to one address. */
  invitation_mail: { max: 5, windowSeconds: 3600, countedBy: 'user' },
  public_read: { max: 120, windowSeconds: 60, countedBy: 'ip' },
  public_write: { max: 10, windowSeconds: 60, countedBy: 'ip' },
  /** From one address to one project, in a day (UTC), so that no address can use up a month's quota. */
  public_write_day: { max: 200, windowSeconds: 86_400, countedBy: 'ip' },
  public_upload: { max: 8, windowSeconds: 60, countedBy: 'ip' },
} as const

export type LimitName = keyof typeof limits

/** Wrong codes of two-factor authentication: after how many a sign-in step ends, and how many within a day mail the owner. */
export const wrongCodes = { perSignInStep: 5, mailed: 5 } as const

/** Maximum sizes, the same on every surface. Text is counted in Unicode code points. */
export const sizes = {
  bodyBytes: 1_048_576,
  /** Of a request that brings a file to import. */
  importBodyBytes: 2_097_152,
  headerBytes: 16_384,
  /** Larger bodies, and those of unknown size, are read only after their request is counted. */
  smallBodyBytes: 8_192,
  jsonDepth: 32,
  /** Values of a body in all; keys of its objects in all, and their bytes. */
  jsonValues: 8_500,
  jsonKeys: 3_000,
  jsonKeyBytes: 65_536,
  titleCharacters: 200,
  bodyCharacters: 10_000,
  nameCharacters: 200,
  /** Of an image of another site, from which a copy is made: its file, and its picture. */
  imageBytes: 5_000_000,
  imagePixels: 40_000_000,
  /** The longest side of a copy. */
  avatarPixels: 256,
  logoPixels: 512,
  emailCharacters: 254,
  urlCharacters: 2_048,
  reasonCharacters: 500,
  tags: 20,
  tagCharacters: 50,
  searchCharacters: 200,
  searchWords: 20,
  metadataBytes: 16_384,
  /** What of the metadata can be filtered by: that many keys, and values of that many characters. */
  metadataKeys: 50,
  metadataValueCharacters: 200,
  metadataFilters: 5,
  surveyQuestions: 100,
  surveyBytes: 65_536,
  surveyLanguages: 50,
  widgetItems: 50,
  widgetItemsDefault: 20,
  /** Of the public payload. */
  widgetBytes: 30_000,
  widgetBodyCharacters: 600,
  /** The most public items that a filter or an order by rating looks at. */
  widgetScanRows: 2_000,
  /** Of the JSON-LD. */
  widgetReviews: 10,
  widgetReviewCharacters: 200,
  passwordCharacters: 256,
  passwordCharactersMin: 12,
  idempotencyKeyCharacters: 255,
  pageItems: 100,
  pageItemsDefault: 25,
  moderationItems: 100,
  /** Of a file in a request, and of one that is uploaded. */
  importInlineBytes: 1_000_000,
  importBytes: 1_000_000_000,
  importColumns: 1_000,
  importColumnCharacters: 200,
  /** Of a row as it stands in the file. */
  importRecordBytes: 16_777_216,
  importPreviewRows: 10,
  /** Rows that failed: how many are listed, and how much of each. */
  importFailedRows: 10_000,
  importRowTextCharacters: 2_000,
  fileNameCharacters: 255,
  /** Of captions, and of a request that brings them. */
  captionBytes: 1_000_000,
  captionBodyBytes: 2_097_152,
  captionsPerVideo: 20,
  /** Headers of one's own at a webhook endpoint: their number, and the bytes of all names and values. */
  endpointHeaders: 20,
  endpointHeaderBytes: 16_384,
  headerNameCharacters: 100,
  headerValueCharacters: 4_096,
  /** To an endpoint with a limit of its own. */
  deliveriesPerSecond: 1_000,
  replayEvents: 100_000,
  /** Deliveries of a team's replays that have not ended. */
  replayDeliveries: 200_000,
  /** How many deliveries of an endpoint are counted at most. */
  countedDeliveries: 10_000,
  /** What is kept of a receiver's response, unless the operator says otherwise. */
  keptSuccessBytes: 4_096,
  keptFailureBytes: 65_536,
} as const

/** The scales that are the same in every survey. */
export const fixedScales = { nps: { min: 0, max: 10 }, csat: { min: 1, max: 5 }, ces: { min: 1, max: 7 } } as const

/** 100000 as "100,000". `toLocaleString` loads the locales of Node, a tenth of the start of the command line. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
