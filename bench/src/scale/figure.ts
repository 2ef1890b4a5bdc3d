/** One measured figure. */
export interface Figure {
  what: string
  value: number
  unit: 'ms' | 's' | '/s' | 'ms/s' | 'requests'
  /** The most it may be, where a bound was set. */
  max?: number
  /** Whether more is better. */
  isRate?: boolean
}
