import type { Person } from './person.ts'
import type { Place } from './place.ts'

/** What somebody does on one page. It ends where the page is worth a picture. */
export interface Scene {
  name: string
  run: (person: Person, place: Place) => Promise<void>
  /** It changes nothing: it is also played in the dark. */
  isLook?: boolean
  /** A page of somebody else's, with a look of its own. */
  isForeign?: boolean
}
