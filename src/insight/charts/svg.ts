// The few things every chart shares: text that is safe inside SVG, short numbers, and one look for light and dark screens.
// Charts are generators of text, so that a result file is written as it is drawn and never held whole.

// Characters that XML 1.0 cannot represent even escaped: control characters, lone surrogates, U+FFFE and U+FFFF.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeXml(text: string): string {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (character) => ESCAPES[character]);
}

/** Cuts between code points, so that no character is split. */
export function shorten(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/** A coordinate: one decimal is finer than a screen shows. */
export function px(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return Object.is(rounded, -0) ? '0' : String(rounded);
}

/** 1234567 as 1,234,567 whatever the machine's locale. */
export function groupDigits(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** CSS of every chart: it follows the viewer's light or dark scheme, alone or inside an <img>. */
const STYLE = `
.k{--bg:#ffffff;--ink:#1c2530;--soft:#5b6877;--rule:#e3e8ee;--axis:#9aa5b1;--bar:#3b76c4;--mean:#c2410c;--median:#0f766e;--halo:#ffffff;--none:#c3cad3}
@media (prefers-color-scheme:dark){.k{--bg:#12171d;--ink:#e8edf3;--soft:#9fadbc;--rule:#28313b;--axis:#5d6b7a;--bar:#6ea3e6;--mean:#fb923c;--median:#5eead4;--halo:#12171d;--none:#414c58}}
.k{background:var(--bg)}
.k text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.k .h{font-size:17px;font-weight:600;fill:var(--ink)}
.k .s{font-size:13px}
.k .i{fill:var(--ink)}
.k .e{text-anchor:end}.k .m{text-anchor:middle}
.k .g{stroke:var(--rule);stroke-width:1;fill:none}
.k .a{stroke:var(--axis);stroke-width:1;fill:none}`;

export interface SvgFrame {
  width: number;
  height: number;
  title: string;
  description: string;
  /** additional CSS of this chart */
  style?: string;
}

export function svgStart(frame: SvgFrame): string {
  const { width, height } = frame;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="k" role="img" aria-labelledby="kt kd" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}">\n<title id="kt">${escapeXml(frame.title)}</title>\n` +
    `<desc id="kd">${escapeXml(frame.description)}</desc>\n<style>${STYLE}${frame.style ?? ''}\n</style>\n` +
    `<rect width="${width}" height="${height}" fill="var(--bg)"/>\n`
  );
}

export const SVG_END = '</svg>\n';

export function text(x: number, y: number, content: string, classes = ''): string {
  const className = classes === '' ? '' : ` class="${classes}"`;
  return `<text x="${px(x)}" y="${px(y)}"${className}>${escapeXml(content)}</text>\n`;
}

/** Width of text in the charts' font, near enough to place labels (no font is loaded to measure). */
export function textWidth(content: string, fontSizePx = 12): number {
  let widthEm = 0;
  for (const character of content) {
    const code = character.codePointAt(0)!;
    widthEm += code > 0x2e80 ? 1 : /[ilj.,:;'|! ]/.test(character) ? 0.3 : /[A-Zmw%@]/.test(character) ? 0.72 : 0.56;
  }
  return widthEm * fontSizePx;
}
