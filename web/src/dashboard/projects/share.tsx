import { publicAddress } from '../api.ts'
import { CodeLine } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'

/** The address of the collection page of a public key. */
export function collectionPage(publicKey: string): string {
  return publicAddress(`/c/${publicKey}`)
}

/** The link of the collection page, and the lines that put its form on a website. */
export function Share({ publicKey }: { publicKey: string }) {
  const address = collectionPage(publicKey)
  const embed = `<script async src="${publicAddress('/embed.js')}"></script>\n<earshot-form public-key="${publicKey}"></earshot-form>`
  return (
    <div className="card stack">
      <div className="share">
        <h3>Link of the collection page</h3>
        <CodeLine code={address} label="Copy link" />
        <a className="external" href={address} target="_blank" rel="noopener">
          Open the collection page <Icon name="external" />
        </a>
      </div>
      <div className="share">
        <h3>Form on your website</h3>
        <p className="soft">Paste this code where you want the form to appear.</p>
        <CodeLine code={embed} label="Copy lines" />
      </div>
    </div>
  )
}
