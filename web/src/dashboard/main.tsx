import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '@fontsource-variable/inter/wght.css'
import '../styles/tokens.css'
import './styles/shell.css'
import './styles/controls.css'
import './styles/marks.css'
import './styles/fields.css'
import './styles/overlays.css'
import './styles/page.css'
import './styles/tables.css'
import './styles/adapt.css'
import { queries } from './api.ts'
import { reloadWhenOutdated } from './reload-when-outdated.ts'
import { router } from './router.tsx'
import { applyTheme } from './theme.ts'

applyTheme()
reloadWhenOutdated(() => router.state.status === 'pending')

const place = document.getElementById('app')
if (!place) throw new Error('The document has no place for the dashboard')
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
