import type { Database, DatabaseAddress } from '@earshot/db'
import postgres from 'postgres'

/** Makes every window of a rate limit last until `nextRateWindow`, so that tests neither wait for the clock nor are cut by it. */
export async function holdRateWindows(address: DatabaseAddress): Promise<void> {
  const sql = postgres({ ...address, max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(`
      create function hold_rate_window() returns trigger language plpgsql as $$
      begin
        new.window_start := 'infinity';
        return new;
      end $$;
      create trigger hold_rate_window before insert on rate_windows for each row execute function hold_rate_window()`)
  } finally {
    await sql.end()
  }
}

/** Ends every window whose subject begins with a prefix. */
export async function nextRateWindow({ run }: Pick<Database, 'run'>, prefix = ''): Promise<void> {
  await run("update rate_windows set window_start = '-infinity' where starts_with(subject, $1)", [prefix])
}
