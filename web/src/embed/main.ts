import { EarshotBadge } from './badge.ts'
import { EarshotForm } from './form.ts'
import { EarshotWall } from './wall.ts'

const elements = { 'earshot-wall': EarshotWall, 'earshot-badge': EarshotBadge, 'earshot-form': EarshotForm }

// A page may load the script twice.
for (const [name, element] of Object.entries(elements)) if (!customElements.get(name)) customElements.define(name, element)
