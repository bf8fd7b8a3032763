// Elements from a tag, attributes and children. Children are text or elements, never HTML: a catalog cannot bring scripts into the page.

type Child = Node | string | null;
type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** A function is a listener, `true` an attribute without a value, `false` no attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function place(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}.`);
  return element;
}
