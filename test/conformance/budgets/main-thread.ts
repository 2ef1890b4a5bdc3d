import type { Page } from 'playwright-core'

/** The main thread of a page's renderer. */
export interface MainThread {
  /** Returns the processor time of its tasks so far, which does not grow while other processes have the processor. */
  usedMs: () => Promise<number>
}

export async function mainThreadOf(page: Page): Promise<MainThread> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    async usedMs() {
      const { metrics } = await session.send('Performance.getMetrics')
      const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value
      if (seconds === undefined) throw new Error('The browser does not count the time of tasks')
      return seconds * 1_000
    },
  }
}
