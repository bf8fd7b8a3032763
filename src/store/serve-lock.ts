// The door to the lock of a SQLite data folder, for those who start a service.
export { holdForServing, isServed, type ServeHolder, type ServeLock } from './sqlite/serve-lock.ts';
