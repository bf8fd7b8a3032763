// Reads the progress of a count from the REST API of Spark's driver.

export interface Stage {
  readonly numTasks: number;
  readonly numActiveTasks: number;
  readonly numCompleteTasks: number;
}

const LONGEST_MS = 1000;

/** `address`: of the driver's page, as Spark says it. null: it could not be read. */
export async function readStages(address: string, applicationId: string): Promise<Stage[] | null> {
  for (const base of basesOf(address)) {
    const stages = await stagesAt(`${base}/api/v1/applications/${applicationId}/stages`);
    if (stages !== null) return stages;
  }
  return null;
}

/**
 * The driver runs on this machine, and its address is meant for people: it may be one that this machine cannot resolve or reach
 * (SPARK_PUBLIC_DNS, a proxy). A driver that listens on one address alone (SPARK_LOCAL_IP) is read there.
 */
function basesOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { protocol, port } = new URL(address);
  const here = `${protocol}//127.0.0.1${port === '' ? '' : `:${port}`}`;
  return [...new Set([here, address.replace(/\/$/, '')])];
}

async function stagesAt(page: string): Promise<Stage[] | null> {
  try {
    const response = await fetch(page, { signal: AbortSignal.timeout(LONGEST_MS) });
    const stages: unknown = await response.json();
    // If another program listens on this port, it does not know the application.
    return response.ok && Array.isArray(stages) ? stages : null;
  } catch {
    return null;
  }
}
