import { Button } from './button.tsx'

interface SaveRowProps {
  isChanged: boolean
  isBusy: boolean
  onDiscard: () => void
}

/** The end of a form that changes something: saves what was typed, or takes it back. */
export function SaveRow({ isChanged, isBusy, onDiscard }: SaveRowProps) {
  return (
    <div className="row">
      <Button look="primary" type="submit" isBusy={isBusy} aria-disabled={!isChanged}>
        Save changes
      </Button>
      {isChanged && !isBusy && (
        <>
          <Button look="quiet" onClick={onDiscard}>
            Discard
          </Button>
          <span className="soft">Not saved yet</span>
        </>
      )}
    </div>
  )
}
