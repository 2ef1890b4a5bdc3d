/** Finds an element of the page by id, of a class. Throws when the page and its script are not of one build. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = findById(id, kind)
  if (!found) throw new Error(`The page has no #${id}`)
  return found
}

/** Finds an element that only some pages have. */
export function findById<Kind extends Element>(id: string, kind: new () => Kind): Kind | null {
  const found = document.getElementById(id)
  return found instanceof kind ? found : null
}

/** Finds a marked part of a piece of the page. */
export function partOf(root: ParentNode, name: string): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-part="${name}"]`)
}
