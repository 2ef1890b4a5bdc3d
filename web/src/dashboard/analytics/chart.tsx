import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'

const HEIGHT = 200
const PLOT = { top: 12, bottom: 24, start: 40, end: 12 }
const MAX_COLUMN = 28

export interface Point {
  /** The first day of the period: no other point has it. */
  start: string
  /** Names the period, such as "Nov 3". */
  label: string
  /** Null where there is nothing to show. */
  value: number | null
  /** The values in words, for the reader who points at it. */
  text: string
}

interface ChartProps {
  title: string
  points: readonly Point[]
  look: 'line' | 'columns'
  /** The ends of the axis, and what is marked between. */
  ticks: readonly number[]
  /** The same figures as a table. */
  table: ReactNode
}

/** A course over time as a drawing, with its values by pointer and by keys, and as a table. */
export function Chart({ title, points, look, ticks, table }: ChartProps) {
  const [chosen, setChosen] = useState(points.length - 1)
  const [holder, width] = useWidth()
  const scale = scaleOf(points.length, ticks, width)
  const index = Math.min(chosen, points.length - 1)
  const point = points[index]
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    setChosen(scale.indexAt(clientX - currentTarget.getBoundingClientRect().left))
  return (
    <figure className="chart" ref={holder}>
      <figcaption>
        <span className="sr">{title}. </span>
        <output>{point && `${point.label}: ${point.text}`}</output>
      </figcaption>
      <svg width={width} height={HEIGHT} aria-hidden="true" onPointerMove={follow} onPointerDown={follow}>
        <Axis ticks={ticks} scale={scale} width={width} points={points} />
        {look === 'line' ? <Line points={points} scale={scale} /> : <Columns points={points} scale={scale} chosen={index} />}
        {point && point.value !== null && look === 'line' && (
          <circle className="chosen" cx={scale.x(index)} cy={scale.y(point.value)} r="5" />
        )}
      </svg>
      <input
        type="range"
        aria-label={`${title}: period`}
        min={0}
        max={Math.max(0, points.length - 1)}
        value={index}
        aria-valuetext={point && `${point.label}: ${point.text}`}
        onChange={({ target }) => setChosen(Number(target.value))}
      />
      <details>
        <summary>Show as a table</summary>
        <section
          className="table-holder"
          aria-label={`${title}: table`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, also by keyboard
          tabIndex={0}
        >
          {table}
        </section>
      </details>
    </figure>
  )
}

interface Scale {
  x: (index: number) => number
  y: (value: number) => number
  indexAt: (x: number) => number
  step: number
}

function scaleOf(count: number, ticks: readonly number[], width: number): Scale {
  const [low = 0, high = 1] = [Math.min(...ticks), Math.max(...ticks)]
  const plotWidth = width - PLOT.start - PLOT.end
  const plotHeight = HEIGHT - PLOT.top - PLOT.bottom
  const step = plotWidth / Math.max(1, count)
  return {
    x: (index) => PLOT.start + step * (index + 0.5),
    y: (value) => PLOT.top + plotHeight * (1 - (value - low) / (high - low || 1)),
    indexAt: (x) => Math.min(count - 1, Math.max(0, Math.floor((x - PLOT.start) / step))),
    step,
  }
}

const MIN_LABEL_PX = 64

function Axis({ ticks, scale, width, points }: Pick<ChartProps, 'ticks' | 'points'> & { scale: Scale; width: number }) {
  const every = Math.max(1, Math.ceil(MIN_LABEL_PX / scale.step))
  return (
    <g className="axis">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={PLOT.start} x2={width - PLOT.end} y1={scale.y(tick)} y2={scale.y(tick)} />
          <text x={PLOT.start - 8} y={scale.y(tick) + 4} textAnchor="end">
            {tick}
          </text>
        </g>
      ))}
      {points.map(
        ({ start, label }, index) =>
          (points.length - 1 - index) % every === 0 && (
            <text key={start} x={scale.x(index)} y={HEIGHT - 6} textAnchor="middle">
              {label}
            </text>
          ),
      )}
    </g>
  )
}

/** A line through what has a value; it stops where there is none. */
function Line({ points, scale }: { points: readonly Point[]; scale: Scale }) {
  const path = points
    .map(({ value }, index) => {
      if (value === null) return ''
      const isStart = (points[index - 1]?.value ?? null) === null
      return `${isStart ? 'M' : 'L'}${scale.x(index).toFixed(1)} ${scale.y(value).toFixed(1)}`
    })
    .join('')
  return (
    <>
      <path className="line" d={path} />
      {points.map(
        ({ start, value }, index) =>
          value !== null && <circle key={start} className="dot" cx={scale.x(index)} cy={scale.y(value)} r="2.5" />,
      )}
    </>
  )
}

function Columns({ points, scale, chosen }: { points: readonly Point[]; scale: Scale; chosen: number }) {
  const columnWidth = Math.max(1, Math.min(MAX_COLUMN, scale.step * 0.7))
  return points.map(
    ({ start, value }, index) =>
      value !== null &&
      value > 0 && (
        <rect
          key={start}
          className="column"
          data-chosen={index === chosen || undefined}
          x={scale.x(index) - columnWidth / 2}
          y={scale.y(value)}
          width={columnWidth}
          height={scale.y(0) - scale.y(value)}
          rx="2"
        />
      ),
  )
}

const FIRST_WIDTH = 640

/** The width of an element, in pixels. */
function useWidth(): [React.RefObject<HTMLElement | null>, number] {
  const element = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(FIRST_WIDTH)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)))
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
