import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { onThisOrigin } from '../api.ts'
import { useShowsSteps } from '../first-steps/steps.ts'
import { useCounts } from '../inbox/use-counts.ts'
import { CommandPalette, PaletteButton } from '../palette/palette-button.tsx'
import { chooseTheme } from '../theme.ts'
import { IconButton } from '../ui/button.tsx'
import { Face } from '../ui/face.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { countText } from '../ui/numbers.ts'
import { useIsDark } from '../use-is-dark.ts'
import { PROJECT_PAGES, TEAM_PAGES } from './pages.ts'
import { findPlace, nearProject, projectsQuery, teamsQuery, useHasRole, useIdentity, useTeam } from './places.ts'
import { signOut } from './sign-out.ts'

/** As in `shell.css`. */
const narrow = matchMedia('(max-width: 62rem)')

/** The navigation: projects, their pages, the team's pages, and the person. On narrow windows it opens by a button. */
export function Sidebar() {
  const [isOpen, setIsOpen] = useState(false)
  const [isSearching, setSearching] = useState(false)
  // What is closed is not made: a phone shows its page sooner.
  const isNarrow = useSyncExternalStore(subscribeToWidth, () => narrow.matches)
  const address = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes whenever the address changes
  useEffect(() => setIsOpen(false), [address])
  return (
    <>
      <header className="topbar">
        <IconButton icon={isOpen ? 'x' : 'menu'} label="Menu" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} />
        <span>Earshot</span>
        <PaletteButton onOpen={() => setSearching(true)} isSmall />
      </header>
      <nav className="side" aria-label="Main" data-open={isOpen || undefined}>
        {(isOpen || !isNarrow) && (
          <>
            <ProjectMenu />
            <PaletteButton onOpen={() => setSearching(true)} />
            <ProjectPages />
            <TeamPages />
            <PersonMenu />
          </>
        )}
      </nav>
      <CommandPalette isOpen={isSearching} setOpen={setSearching} />
    </>
  )
}

function subscribeToWidth(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** The service's copy of the project's logo, or Earshot's own mark. */
function Mark({ logoUrl }: { logoUrl: string | null }) {
  if (logoUrl !== null) return <img className="mark" src={onThisOrigin(logoUrl)} alt="" />
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M8.500 13v6M12.250 10v12M16 7v18M19.750 11v10M23.500 14v4" />
    </svg>
  )
}

function ProjectMenu() {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const navigate = useNavigate()
  const { data: teams = [] } = useQuery(teamsQuery)
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const project = findPlace(projects, name ?? '')
  const isAdmin = useHasRole('admin')
  return (
    <Menu
      className="place"
      trigger={
        <>
          <Mark logoUrl={project?.theme.logo?.url ?? null} />
          <span>
            {project?.name ?? team.name}
            <small>{project ? team.name : `${team.plan} plan`}</small>
          </span>
          <Icon name="chevrons" />
        </>
      }
    >
      <h3 role="presentation">Projects of {team.name}</h3>
      {projects.map(({ id, name: text, slug }) => (
        <MenuItem
          key={id}
          icon={id === project?.id ? 'check' : 'inbox'}
          onSelect={() => void navigate({ to: '/$team/$project/inbox', params: { team: team.slug, project: slug } })}
        >
          {text}
        </MenuItem>
      ))}
      {isAdmin && (
        <MenuItem icon="plus" onSelect={() => void navigate({ to: '/$team/-/projects/new', params: { team: team.slug } })}>
          New project
        </MenuItem>
      )}
      {teams.length > 1 && <h3 role="presentation">Other teams</h3>}
      {teams
        .filter(({ id }) => id !== team.id)
        .map(({ id, name: text, slug }) => (
          <MenuItem key={id} icon="people" onSelect={() => void navigate({ to: '/$team', params: { team: slug } })}>
            {text}
          </MenuItem>
        ))}
      <MenuItem icon="plus" onSelect={() => void navigate({ to: '/$team/-/teams/new', params: { team: team.slug } })}>
        New team
      </MenuItem>
    </Menu>
  )
}

function ProjectPages() {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const project = nearProject(team, projects, name)
  const counts = useCounts(project)
  const showsSteps = useShowsSteps(project)
  if (!project) return null
  return (
    <ul>
      {showsSteps && (
        <li>
          <Link to="/$team/$project/first-steps" params={{ team: team.slug, project: project.slug }}>
            <Icon name="check" />
            First steps
          </Link>
        </li>
      )}
      {PROJECT_PAGES.map(({ to, icon, text }) => (
        <li key={to}>
          <Link to={to} params={{ team: team.slug, project: project.slug }}>
            <Icon name={icon} />
            {text}
            {text === 'Inbox' && counts !== undefined && counts.pending > 0 && (
              <b>
                {countText(counts.pending)}
                <span className="sr"> pending</span>
              </b>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

function TeamPages() {
  const team = useTeam()
  const isAdmin = useHasRole('admin')
  const shown = TEAM_PAGES.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true)
  if (shown.length === 0) return null
  return (
    <>
      <h2>Team</h2>
      <ul>
        {shown.map(({ to, icon, text }) => (
          <li key={to}>
            <Link to={to} params={{ team: team.slug }}>
              <Icon name={icon} />
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function PersonMenu() {
  const { user } = useIdentity()
  const { role, plan } = useTeam()
  const dark = useIsDark()
  return (
    <div className="me">
      <Menu
        className="place"
        trigger={
          <>
            <Face name={user.name} />
            <span>
              {user.name}
              <small>
                {role} · {plan} plan
              </small>
            </span>
            <Icon name="chevrons" />
          </>
        }
      >
        <h3 role="presentation">{user.email}</h3>
        <MenuItem icon="settings" onSelect={() => location.assign('/accounts/')}>
          Your account
        </MenuItem>
        <MenuItem icon="edit" onSelect={() => location.assign('/accounts/profile/')}>
          Profile
        </MenuItem>
        <MenuItem icon="mail" onSelect={() => location.assign('/accounts/notifications/')}>
          Notifications
        </MenuItem>
        <MenuItem icon="key" onSelect={() => location.assign('/accounts/tokens/')}>
          Access tokens
        </MenuItem>
        <MenuItem icon="log" onSelect={() => location.assign('/api/docs/')}>
          API reference
        </MenuItem>
        <MenuItem icon={dark ? 'sun' : 'moon'} onSelect={() => chooseTheme(dark ? 'light' : 'dark')}>
          {dark ? 'Use light colours' : 'Use dark colours'}
        </MenuItem>
        <MenuItem icon="external" onSelect={() => void signOut()}>
          Sign out
        </MenuItem>
      </Menu>
    </div>
  )
}
