// The style sheet of /docs.

export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #e1e5ea; --paper: #fff; --shade: #f5f7f9; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e9ef; --soft: #9aa6b5; --line: #2c3542; --paper: #12171e; --shade: #1a212a; --link: #7fb7f5; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.2rem 1rem 3rem; background: var(--shade); border-right: 1px solid var(--line); font-size: .86rem; }
nav .brand { font-size: 1.05rem; font-weight: 650; margin: 0 0 1rem; }
nav h2 { font-size: .74rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.3rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .13rem .3rem; border-radius: 4px; overflow-wrap: anywhere; }
main { padding: 2rem 2.5rem 6rem; max-width: 62rem; }
h1 { font-size: 1.9rem; margin: 0 0 .5rem; }
h2.group { margin: 3rem 0 .8rem; font-size: 1.35rem; }
h3 { margin: 0 0 .4rem; font-size: 1.05rem; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
h4 { margin: 1.1rem 0 .4rem; font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.3rem; margin: 0 0 1.2rem; }
.card:target { border-color: var(--link); }
.method { display: inline-block; min-width: 4.2rem; text-align: center; border-radius: 5px; padding: .05rem .4rem; font-size: .78rem; font-weight: 700; color: #fff; background: #3a6f3a; }
.method.post { background: #1f5f99; } .method.put { background: #8a5a00; } .method.delete { background: #a12d2d; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; font-size: .84rem; line-height: 1.45; margin: .5rem 0; max-height: 28rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: .8rem; }
td, th { border-bottom: 1px solid var(--line); padding: .38rem .6rem .38rem 0; vertical-align: top; overflow-wrap: anywhere; }
tr:target td { background: var(--shade); }
em { font-style: normal; font-size: .74rem; color: var(--soft); margin-left: .3rem; }
details { margin-top: .7rem; } summary { cursor: pointer; color: var(--link); font-size: .9rem; }
@media (max-width: 56rem) { body { display: block; } nav { position: static; height: auto; max-height: 16rem; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1.2rem 1rem 4rem; } table { display: block; overflow-x: auto; } td, th { overflow-wrap: normal; } td:last-child { min-width: 14rem; } }
`;
