import { type Html, html } from '../pages/html.ts'
import { type FirstData, findPlace } from './dashboard-data.ts'

/** As many as the largest windows show. */
const MAX_ROWS = 20
/** A row shows two lines of a text (`web/src/dashboard/inbox/list.tsx`). */
const SHOWN_CHARACTERS = 300

type Submission = NonNullable<FirstData['submissions']>['page']['results'][number]

/**
 * Returns what a page shows before its script runs, in the classes of the parts that take its place: the frame, and in the inbox the
 * words to read. Nothing of it moves, and nothing can be pressed.
 */
export function prerender(data: FirstData | null, path: string): Html {
  const [, , projectName = ''] = path.split('/')
  const project = findPlace(data?.projects?.results ?? [], projectName)
  const team = data?.teams?.find(({ id }) => id === data.projects?.team_id)
  return html`<div class="app" aria-busy="true">
<div class="topbar"><span class="icon-btn">${icon('M4 7h16M4 12h16M4 17h16')}</span><span>Earshot</span></div>
<div class="side">${team && placeOf(project?.name ?? team.name, project ? team.name : `${team.plan} plan`)}</div>
${data?.submissions ? inboxOf(data) : html`<div class="page"></div>`}
</div>`
}

function placeOf(name: string, small: string): Html {
  return html`<div class="menu-holder"><div class="place"><svg class="mark" viewBox="0 0 32 32"><rect width="32" height="32" rx="9"/><path d="M8.500 13v6M12.250 10v12M16 7v18M19.750 11v10M23.500 14v4"/></svg><span>${name}<small>${small}</small></span></div></div>`
}

function inboxOf({ submissions, counts }: FirstData): Html {
  const tabs = (['pending', 'approved', 'rejected'] as const).map((state) => {
    const name = state.charAt(0).toUpperCase() + state.slice(1)
    return html`<a${state === 'pending' && html` aria-current="page"`}>${name} <b>${counts?.counts[state].toLocaleString('en')}</b></a>`
  })
  const rows = (submissions?.page.results ?? []).slice(0, MAX_ROWS).map(rowOf)
  return html`<div class="inbox"><div class="list">
<header><span class="list-title">Inbox</span><span class="live"><i></i>Connecting…</span><span class="icon-btn"></span></header>
<div class="filter-bar"><div class="search">${icon('M17.5 11a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM16 16l4.5 4.5')}<input disabled placeholder="Search" aria-label="Search"></div><span class="icon-btn"></span></div>
<div class="tabs">${tabs}</div>
<div class="rows prerendered"><div>${rows}</div></div>
</div><div class="read"></div></div>`
}

function rowOf({ author, title, body }: Submission): Html {
  const text = [title, body].filter(Boolean).join('. ').slice(0, SHOWN_CHARACTERS)
  const company = author.company && html`<span> · <bdi>${author.company}</bdi></span>`
  return html`<div class="row-place"><div class="row-item"><span class="face"></span><strong><bdi>${author.name}</bdi>${company}</strong><time></time><p dir="auto">${text}</p><span class="meta"></span></div></div>`
}

function icon(path: string): Html {
  return html`<svg viewBox="0 0 24 24"><path d="${path}"/></svg>`
}
