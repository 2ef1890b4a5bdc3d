import { plainName } from '../ui/names.ts'
import './widgets.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Ago } from '../ui/time.tsx'
import { LAYOUTS, ORDERS, type Widget } from './fields.ts'
import { Thumbnail } from './thumbnail.tsx'

/** What shows the words of customers on the team's websites. */
export function Widgets() {
  const ref = useProjectRef()
  const canWrite = useHasRole('member')
  const query = useInfiniteQuery({
    queryKey: ['widgets', ref.project_id],
    queryFn: ({ pageParam: cursor }) => api.widgets.list({ ...ref, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  const add = canWrite && <WidgetLink id="new" text="Add a widget" className="btn primary" icon="plus" />
  return (
    <Page title="Widgets" lead="A widget shows the public words of your customers on your website." actions={add} width="wide">
      <Loaded query={query} skeleton={<Skeleton rows={3} height="5rem" />}>
        {({ pages }) => {
          const widgets = pages.flatMap(({ results }) => results)
          if (widgets.length === 0)
            return (
              <Empty icon="wall" title="No widgets yet" actions={add}>
                Choose a layout and which words to show, then paste two lines into your website.
              </Empty>
            )
          return (
            <ul className="widget-cards cards">
              {widgets.map((widget) => (
                <Card key={widget.id} widget={widget} />
              ))}
            </ul>
          )
        }}
      </Loaded>
      <More query={query} />
    </Page>
  )
}

function Card({ widget }: { widget: Widget }) {
  const { id, name, layout, order, max_items, theme, updated_at } = widget
  return (
    <li className="card">
      <Thumbnail widget={widget} />
      <span className="badge" data-layout={layout}>
        <Icon name={layout === 'badge' ? 'star' : 'wall'} />
      </span>
      <div>
        <h2>
          <WidgetLink id={id} text={plainName(name)} />
        </h2>
        <p className="soft">
          {LAYOUTS.find(({ value }) => value === layout)?.label}
          {layout !== 'badge' && `\u00a0· ${ORDERS.find(({ value }) => value === order)?.label}\u00a0· at\u00a0most\u00a0${max_items}`}
          {theme.mode !== 'auto' && `\u00a0· ${theme.mode}`}
        </p>
        <p className="soft">
          Changed <Ago at={updated_at} />
        </p>
      </div>
    </li>
  )
}

function WidgetLink({ id, text, className, icon }: { id: string; text: string; className?: string; icon?: 'plus' }) {
  const { slug: team } = useTeam()
  const { slug: project } = useProject()
  return (
    <Link to="/$team/$project/widgets/$widget" params={{ team, project, widget: id }} className={className}>
      {icon && <Icon name={icon} />}
      <bdi>{text}</bdi>
    </Link>
  )
}
