import { expect, test } from 'vitest'
import { hueOf as hueNumber } from '../../server/src/web/widget-card.ts'
import { hueOf as hueOfDashboard } from '../../web/src/dashboard/ui/hue.ts'
import { hueOf as hueOfElement } from '../../web/src/embed/hue.ts'

const NAMES = ['Ada Lovelace', 'Ian', '李小龍', 'Zoë', '👩🏽‍🚀', '', 'x'.repeat(60), `${'x'.repeat(49)}👩🏽‍🚀`]

test('a person has the same colour in the dashboard, in the elements and on the page of a widget', () => {
  for (const name of NAMES) {
    expect(hueOfDashboard(name), name).toBe(hueOfElement(name))
    expect(hueNumber(name) * 30, name).toBe(hueOfElement(name))
  }
  expect(new Set(NAMES.map(hueOfElement)).size).toBeGreaterThan(3)
})
