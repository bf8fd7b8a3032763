// What one request costs a service process: processor time of all its threads, and how far its memory grew. Linux counts both.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Cost {
  cpuMs: number;
  memoryMb: number;
}

/** What the process did after its response belongs to the request too. */
const SETTLE_MS = 10;

export async function costOf(pid: number, request: () => Promise<unknown>): Promise<Cost> {
  // From here on the largest memory is counted again.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const memoryBefore = memoryKb(pid, 'VmRSS');
  const cpuBefore = cpuMs(pid);
  await request();
  await delay(SETTLE_MS);
  return { cpuMs: cpuMs(pid) - cpuBefore, memoryMb: Math.max(0, memoryKb(pid, 'VmHWM') - memoryBefore) / 1024 };
}

function cpuMs(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    } catch {
      // It has ended.
    }
  }
  return ns / 1e6;
}

function memoryKb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]);
}
