/** What computes keyed hashes: the secret box of the service. */
interface MacBox {
  mac: (purpose: string, message: string) => Buffer
}

/** Returns the keyed hash of a person's address in a team: it tells whether a person was erased, and is of no use without the key. */
export function personMac(box: MacBox, team_id: string, email: string): Buffer {
  return box.mac('person', JSON.stringify([team_id, email.toLowerCase()]))
}
