import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'
import { Icon } from './icon.tsx'

/** The way from one record to the list that it is in, above its heading. */
export const BackLink = createLink(BackAnchor)

function BackAnchor({ children, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    // The router calls the list current, because the record's address begins with it.
    <a {...rest} className="back-link" aria-current={false}>
      <Icon name="left" />
      {children}
    </a>
  )
}
