/** The style of the pages: one column, readable on a phone, light or dark as the system prefers. */
export const STYLE = `
:root {
  --ink: #1c2430; --soft: #56606e; --paper: #f5f6f8; --card: #fff; --line: #d5dae1; --accent: #1f5fd0; --on-accent: #fff; --bad: #b3261e; --good: #1b6e3c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8ebf0; --soft: #a3adba; --paper: #14181e; --card: #1d232b; --line: #39424e; --accent: #7fb0ff; --on-accent: #10151c; --bad: #ff8a80; --good: #7ddb9e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; max-width: 30rem; margin: 0 auto; padding: 1rem; }
header form { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
main { max-width: 28rem; margin: 0 auto 3rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow-wrap: anywhere; }
@media (max-width: 30rem) { main { margin-inline: .5rem; padding: 1.25rem; } }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p, ul { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
label { display: block; margin-bottom: 1rem; font-weight: 600; }
input, select { display: block; width: 100%; margin-top: .25rem; padding: .625rem .75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; }
input[aria-invalid] { border-color: var(--bad); }
input.code { font: 600 1.5rem/1.4 ui-monospace, monospace; letter-spacing: .15em; text-align: center; text-transform: uppercase; }
button { padding: .625rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem; cursor: pointer; }
button.plain { color: var(--ink); background: none; border-color: var(--line); }
button.link { padding: 0; font-weight: 400; color: var(--accent); background: none; border: 0; text-decoration: underline; }
a { color: var(--accent); }
input:focus-visible, select:focus-visible, summary:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
form.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line); }
form.row p { flex: 1 12rem; margin: 0; }
form.row details { flex: 1 100%; }
summary { color: var(--soft); cursor: pointer; }
details ul { margin: .5rem 0 0; }
fieldset { margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; min-width: 0; }
legend { padding: 0 .375rem; font-weight: 600; }
label.box { display: flex; gap: .75rem; margin: 0; padding: .5rem 0; font-weight: 400; }
label.box input { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; }
label.box small { margin: 0; }
label small { display: block; margin-top: .25rem; font-weight: 400; }
img { max-width: 100%; height: auto; border-radius: .5rem; }
form + p { margin-top: 1.25rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); font-weight: 600; }
small, .soft { color: var(--soft); }
code { font-family: ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; background: var(--paper); border-radius: .5rem; }
code.token { font-size: 1.125rem; user-select: all; }
code.code { font-size: 1.5rem; font-weight: 600; letter-spacing: .15em; }
`
