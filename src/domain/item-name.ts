const NAME_LIKE = /^(name|title|label|product_?name|item_?name|film|track|headline)$/i;

/** Whether items are likely to have their names in this attribute. */
export function isNameOfItems(attribute: string): boolean {
  return NAME_LIKE.test(attribute);
}
