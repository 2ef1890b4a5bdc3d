import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { takeFirstData } from './first-data.ts'
import { router } from './router.tsx'

/** Shows the page as a whole, instead of what the document shows until then. */
export async function show(place: HTMLElement): Promise<void> {
  takeFirstData()
  await router.load()
  // In slices, between which the browser can react.
  startTransition(() =>
    createRoot(place).render(
      <StrictMode>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  )
}

/** Whether a page is about to be opened. */
export function isOpening(): boolean {
  return router.state.status === 'pending'
}
