import { serviceNow } from '../clock.ts'
import { SelectField } from './field.tsx'

const CUSTOM = 'custom'
const PERIODS = [
  { value: '', label: 'Any time' },
  { value: 'today', label: 'Today' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'month', label: 'This month' },
  { value: 'year', label: 'Last 12 months' },
]

/** The values of two fields beside it: days, or times without an offset. Empty without a bound. */
interface Period {
  from: string
  to: string
}

interface PeriodFieldProps extends Period {
  /** Of what type the two fields are. */
  type: 'date' | 'datetime-local'
  onChange: (period: Period) => void
}

/** Usual periods for two fields of dates, in days of the reader. What somebody types in the fields is shown as a period of its own. */
export function PeriodField({ from, to, type, onChange }: PeriodFieldProps) {
  const startOf = (period: string) => {
    const day = firstDay(period)
    return day === '' || type === 'date' ? day : `${day}T00:00`
  }
  const chosen = to === '' ? PERIODS.find(({ value }) => startOf(value) === from)?.value : undefined
  return (
    <SelectField
      label="Time"
      value={chosen ?? CUSTOM}
      options={chosen === undefined ? [...PERIODS, { value: CUSTOM, label: 'From … to …' }] : PERIODS}
      onChange={({ target }) => target.value !== CUSTOM && onChange({ from: startOf(target.value), to: '' })}
    />
  )
}

/** Returns the first day of a period that ends now; empty for any time. */
function firstDay(period: string): string {
  if (period === '') return ''
  const day = new Date(serviceNow())
  if (period === 'month') day.setDate(1)
  else if (period === 'year') day.setFullYear(day.getFullYear() - 1, day.getMonth(), day.getDate() + 1)
  else if (period !== 'today') day.setDate(day.getDate() - Number(period) + 1)
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
