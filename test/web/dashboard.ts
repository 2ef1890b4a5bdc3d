// The parts of the dashboard that hold state or need a browser. The fixture in `browser.ts` makes one script of them for its tabs.
import * as api from '../../web/src/dashboard/api.ts'
import * as clock from '../../web/src/dashboard/clock.ts'
import * as feedReader from '../../web/src/dashboard/events/feed-reader.ts'
import * as firstData from '../../web/src/dashboard/first-data.ts'
import * as bulkChange from '../../web/src/dashboard/inbox/bulk-change.ts'
import * as colleagues from '../../web/src/dashboard/inbox/colleagues.ts'
import * as decisions from '../../web/src/dashboard/inbox/decisions.ts'
import * as lists from '../../web/src/dashboard/inbox/lists.ts'
import * as notSent from '../../web/src/dashboard/inbox/not-sent.tsx'
import * as ownUpdates from '../../web/src/dashboard/inbox/own-updates.ts'
import * as tagChange from '../../web/src/dashboard/inbox/tag-change.ts'
import * as kept from '../../web/src/dashboard/kept.ts'
import * as catchUp from '../../web/src/dashboard/live/catch-up.ts'
import * as follow from '../../web/src/dashboard/live/follow.ts'
import * as lead from '../../web/src/dashboard/live/lead.ts'
import * as news from '../../web/src/dashboard/live/news.ts'
import * as showChanges from '../../web/src/dashboard/live/show-changes.ts'
import * as liveState from '../../web/src/dashboard/live/state.ts'
import * as ownDeletions from '../../web/src/dashboard/own-deletions.ts'
import * as samePerson from '../../web/src/dashboard/same-person.ts'
import * as person from '../../web/src/dashboard/shell/person.ts'
import * as places from '../../web/src/dashboard/shell/places.ts'
import * as signedOut from '../../web/src/dashboard/signed-out.ts'
import * as keeper from '../../web/src/dashboard/surveys/builder/keeper.ts'
import * as surveyQueries from '../../web/src/dashboard/surveys/queries.ts'
import * as keptFields from '../../web/src/dashboard/ui/kept-fields.ts'
import * as toasts from '../../web/src/dashboard/ui/toasts.tsx'
import * as keptUpload from '../../web/src/dashboard/videos/kept-upload.ts'
import * as videos from '../../web/src/dashboard/videos/videos.ts'

export {
  api,
  bulkChange,
  catchUp,
  clock,
  colleagues,
  decisions,
  feedReader,
  firstData,
  follow,
  keeper,
  kept,
  keptFields,
  keptUpload,
  lead,
  lists,
  liveState,
  news,
  notSent,
  ownDeletions,
  ownUpdates,
  person,
  places,
  samePerson,
  showChanges,
  signedOut,
  surveyQueries,
  tagChange,
  toasts,
  videos,
}
