import type { Tab } from './browser.ts'

/** The texts of the messages that a tab shows, oldest first. */
export function messagesOf({ dashboard }: Tab): string[] {
  return childrenOf(dashboard.toasts.Toasts()).map((toast) => textsOf(childrenOf(toast)[1]).join(''))
}

/** All texts in what a component returns. */
export function textsOf(node: unknown): string[] {
  if (typeof node === 'string' || typeof node === 'number') return [String(node)]
  return childrenOf(node).flatMap(textsOf)
}

function childrenOf(node: unknown): unknown[] {
  if (Array.isArray(node)) return node
  const children =
    typeof node === 'object' && node !== null && 'props' in node ? (node.props as { children?: unknown }).children : undefined
  return Array.isArray(children) ? children : [children].filter((child) => child !== undefined)
}
