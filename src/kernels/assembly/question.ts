// Whose history is scored. One user is asked about by a question block; many users are in a users block, from which the bulk
// kernels write one question after the other.
//
// The question block (u32 words): 0 length of the history, newest item first, each item once  1 → items u32  2 → weights f32
//   3 → u8 marks of items that may not be listed, 0 when none is marked  4 → four own numbers f32 an item (for rankers), or 0
//   5 number of items outside the history that may not be listed  6 → those items u32
// The users block (u32 words): 0 → offsets u32[users + 1] of the histories  1 … 4 as above, for all users in a row
//   5 → offsets u32[users + 1] of the items outside the histories, 0 when there are none  6 → those items
import { word } from './vector';

// @ts-ignore: decorator
@inline
export function lengthOf(question: usize): u32 {
  return word(question, 0);
}
// @ts-ignore: decorator
@inline
export function itemsOf(question: usize): usize {
  return <usize>word(question, 1);
}
// @ts-ignore: decorator
@inline
export function weightsOf(question: usize): usize {
  return <usize>word(question, 2);
}
// @ts-ignore: decorator
@inline
export function marksOf(question: usize): usize {
  return <usize>word(question, 3);
}
// @ts-ignore: decorator
@inline
export function ownOf(question: usize): usize {
  return <usize>word(question, 4);
}
// @ts-ignore: decorator
@inline
export function excludedCount(question: usize): u32 {
  return word(question, 5);
}
// @ts-ignore: decorator
@inline
export function excludedOf(question: usize): usize {
  return <usize>word(question, 6);
}

/** Writes the question of one user. */
export function askFor(users: usize, user: u32, question: usize): void {
  const start = entryOf(users, 0, user);
  const marks = word(users, 3);
  const own = word(users, 4);
  store<u32>(question, entryOf(users, 0, user + 1) - start);
  store<u32>(question, word(users, 1) + (start << 2), 4);
  store<u32>(question, word(users, 2) + (start << 2), 8);
  store<u32>(question, marks == 0 ? 0 : marks + start, 12);
  store<u32>(question, own == 0 ? 0 : own + (start << 4), 16);
  const hasExcluded = word(users, 5) != 0;
  const first = hasExcluded ? entryOf(users, 5, user) : 0;
  store<u32>(question, hasExcluded ? entryOf(users, 5, user + 1) - first : 0, 20);
  store<u32>(question, word(users, 6) + (first << 2), 24);
}

// @ts-ignore: decorator
@inline
function entryOf(users: usize, table: usize, user: u32): u32 {
  return load<u32>(<usize>word(users, table) + (<usize>user << 2));
}
