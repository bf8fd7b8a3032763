// Seeds of the simulation as a test file of mutants: ends with 1 at the first seed that breaks something.
import { simulateMany } from '../simulator/simulate-many.ts';

const SEEDS = 100;

const { broken } = await simulateMany({ from: 1, seeds: SEEDS, isFirstEnough: true });
process.exitCode = broken === 0 ? 0 : 1;
